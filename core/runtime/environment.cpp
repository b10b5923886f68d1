#include "crossdock/runtime/environment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace crossdock {

std::optional<std::int64_t> positive_integer(const char* variable, std::int64_t most) noexcept {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  std::string_view digits(text);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 1) return std::nullopt;
  return std::min(value, most);
}

std::optional<double> positive_number(const char* variable, double most) noexcept {
  const char* text = std::getenv(variable);
  if (!text || !*text) return std::nullopt;
  // strtod knows more spellings (spaces, 'inf', hexadecimal) than a setting should.
  if (std::string_view(text).find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  char* end = nullptr;
  double value = std::strtod(text, &end);
  if (*end || !std::isfinite(value) || value <= 0 || value > most) return std::nullopt;
  return value;
}

}  // namespace crossdock
