#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crossdock/runtime/device.h"
#include "crossdock/runtime/error.h"

namespace crossdock {
namespace {

std::vector<std::string> known_kinds() {
  std::vector<std::string> kinds;
  for (auto* backend : backends()) kinds.push_back(backend->name());
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "(none)" : text;
}

// For a message: short, and without characters that would end it early or garble a terminal. UTF-8 stays whole.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string out = "'";
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    constexpr char kHex[] = "0123456789abcdef";
    if (code < 0x20 || code == 0x7f)
      out += {'\\', 'x', kHex[code >> 4], kHex[code & 15]};
    else
      out += c;
  }
  return out + (cut ? "...'" : "'");
}

// Levenshtein's: how many letters to insert, drop or change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

// Empty when nothing is near.
std::string nearest_kind(std::string_view kind, const std::vector<std::string>& kinds) {
  kind = kind.substr(0, 32);
  std::string lower(kind);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (std::string_view other_name : {"cpu", "host", "numpy", "@numpy", "core"}) {
    if (lower == other_name) return "native";
  }
  auto nearer = [&](auto& a, auto& b) { return distance(lower, a) < distance(lower, b); };
  auto found = std::min_element(kinds.begin(), kinds.end(), nearer);
  // What shares less than half of its letters was hardly meant.
  return found == kinds.end() || 2 * distance(lower, *found) > found->size() ? std::string() : *found;
}

// 0|[1-9][0-9]{0,4}
std::optional<int> parse_index(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  int index = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + (c - '0');
  }
  return index;
}

// What was most likely meant where an index is not one: its digits, if they are an index without leading zeros.
int nearest_index(std::string_view text) noexcept {
  std::string digits;
  for (char c : text.substr(0, 32))
    if (c >= '0' && c <= '9' && !(digits.empty() && c == '0')) digits += c;
  return parse_index(digits).value_or(0);
}

[[noreturn]] void refuse_kind(std::string_view spec, std::string_view kind, std::string_view index) {
  auto kinds = known_kinds();
  std::string message =
      "no device kind " + quoted(kind) + " in " + quoted(spec) + "; known kinds: " + joined(kinds) + ".";
  std::string nearest = nearest_kind(kind, kinds);
  if (!nearest.empty()) {
    nearest += ":" + std::to_string(nearest_index(index));
    message += " Did you mean '" + nearest + "'?";
  }
  throw SpecError(message, std::string(spec), std::move(kinds), std::move(nearest));
}

[[noreturn]] void refuse_index(std::string_view spec, std::string_view kind, std::string_view index) {
  std::string nearest = std::string(kind) + ":" + std::to_string(nearest_index(index));
  throw SpecError("no device index " + quoted(index) + " in " + quoted(spec) +
                      "; an index is a decimal number of up to five digits without leading zeros. Did you mean '" +
                      nearest + "'?",
                  std::string(spec), known_kinds(), nearest);
}

[[noreturn]] void refuse_missing(const Backend& backend, int index) {
  std::string spec = backend.name() + ":" + std::to_string(index);
  int count = backend.device_count();
  std::string reason = count == 0 ? backend.why_none()
                       : count == 1
                           ? "the only " + backend.name() + " device is '" + backend.name() + ":0'"
                           : "there are " + std::to_string(count) + " " + backend.name() + " devices, '" +
                                 backend.name() + ":0' to '" + backend.name() + ":" + std::to_string(count - 1) + "'";
  throw DeviceUnavailableError("no device '" + spec + "' here: " + reason, spec, reason, count);
}

}  // namespace

Device& find_device(std::string_view spec) {
  auto colon = spec.find(':');
  auto kind = spec.substr(0, colon);
  auto suffix = colon == std::string_view::npos ? std::string_view("0") : spec.substr(colon + 1);
  Backend* backend = find_backend(kind);
  if (!backend) refuse_kind(spec, kind, suffix);
  auto index = parse_index(suffix);
  if (!index) refuse_index(spec, kind, suffix);
  if (*index >= backend->device_count()) refuse_missing(*backend, *index);
  return backend->device(*index);
}

}  // namespace crossdock
