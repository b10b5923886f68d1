#include "architecture.h"

#include <charconv>

#include "crossdock/runtime/error.h"

namespace crossdock::cuda {

Architecture Architecture::parse(std::string_view text) {
  Architecture architecture;
  std::string_view digits = text.starts_with("sm_") ? text.substr(3) : std::string_view();
  architecture.specific = digits.ends_with('a');
  if (architecture.specific) digits.remove_suffix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), architecture.number);
  if (digits.size() < 2 || digits.size() > 4 || digits[0] < '1' || digits[0] > '9' || error != std::errc() ||
      end != digits.data() + digits.size())
    throw ValueError("no GPU architecture '" + std::string(text) + "'; they are called sm_75, sm_90, sm_90a, sm_100");
  return architecture;
}

std::string Architecture::name() const { return "sm_" + std::to_string(number) + (specific ? "a" : ""); }

}  // namespace crossdock::cuda
