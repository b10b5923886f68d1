// What NVRTC reads: the kernels and the functors, as text inside the library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crossdock::cuda {

struct Source {
  const char* name;    // as includes have it: "kernels/fill.cuh", "crossdock/functors/cast.h"
  const char* sha256;  // of the text, in hexadecimal
  const char* text;
};

// All of them, by name.
std::span<const Source> sources() noexcept;
// Null when there is none.
const Source* find_source(std::string_view name) noexcept;
// The named one and all that it includes, directly or not, by name; DeviceError when there is no such source.
std::vector<const Source*> with_includes(std::string_view name);
// In hexadecimal, of all texts and names.
std::string sources_digest();

}  // namespace crossdock::cuda
