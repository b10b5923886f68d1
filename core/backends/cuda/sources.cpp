#include "sources.h"

#include <algorithm>

#include "crossdock/runtime/error.h"
#include "sha256.h"

namespace crossdock::cuda {
namespace {

// Calls visit(name) for each `#include "name"` at a line's beginning, in disabled parts too.
template <class Visit>
void for_includes(std::string_view text, Visit&& visit) {
  constexpr std::string_view word = "#include \"";
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
    const bool begins = at == 0 || text[at - 1] == '\n';
    at += word.size();
    const std::size_t end = text.find('"', at);
    if (begins && end != text.npos) visit(text.substr(at, end - at));
  }
}

}  // namespace

const Source* find_source(std::string_view name) noexcept {
  const auto all = sources();
  const auto found = std::ranges::find(all, name, [](const Source& source) { return std::string_view(source.name); });
  return found == all.end() ? nullptr : &*found;
}

std::vector<const Source*> with_includes(std::string_view name) {
  const Source* first = find_source(name);
  if (!first) throw DeviceError("no kernel source '" + std::string(name) + "' in this build of crossdock");
  std::vector<const Source*> found{first};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for_includes(found[next]->text, [&](std::string_view included) {
      const Source* source = find_source(included);  // none: a header of the host's
      if (source && std::ranges::find(found, source) == found.end()) found.push_back(source);
    });
  }
  std::ranges::sort(found, {}, [](const Source* source) { return std::string_view(source->name); });
  return found;
}

std::string sources_digest() {
  Sha256 hash;
  for (const Source& source : sources()) hash.add_field(source.name).add_field(source.sha256);
  return hexadecimal(hash.digest());
}

}  // namespace crossdock::cuda
