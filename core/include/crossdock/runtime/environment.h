// Settings from the environment. A value that is not one counts as not set.
#pragma once

#include <cstdint>
#include <optional>

namespace crossdock {

// A number of decimal digits alone, at least 1; a number above `most` is `most`, one beyond 64 bits is none.
std::optional<std::int64_t> positive_integer(const char* variable, std::int64_t most) noexcept;
// A finite decimal number with 0 < number <= most.
std::optional<double> positive_number(const char* variable, double most) noexcept;

}  // namespace crossdock
