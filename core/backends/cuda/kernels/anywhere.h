// Elements that lie on no multiple of their size, as another library's can, are moved byte by byte.
#pragma once

#include "kernels/device.h"
#include "kernels/element.h"

namespace crossdock::cuda {

template <class S>
CROSSDOCK_HD bool lies_aligned(const unsigned char* at) {
  return reinterpret_cast<std::uint64_t>(at) % alignof(Raw<S>) == 0;
}

template <class S>
CROSSDOCK_HD Computed<S> load_anywhere(const unsigned char* at) {
  if (lies_aligned<S>(at)) return load<S>(at);
  Raw<S> raw;
  memcpy(&raw, at, sizeof raw);
  return widen<S>(raw);
}

template <class S>
CROSSDOCK_HD void store_anywhere(unsigned char* at, Computed<S> value) {
  if (lies_aligned<S>(at)) return store<S>(at, value);
  const Raw<S> raw = narrow<S>(value);
  memcpy(at, &raw, sizeof raw);
}

}  // namespace crossdock::cuda
