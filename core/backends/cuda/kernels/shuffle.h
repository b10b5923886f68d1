// Exchange of values between the threads of a warp.
#pragma once

#include "kernels/device.h"

namespace crossdock::cuda {

namespace detail {
template <class T>
struct Words {
  static_assert(sizeof(T) % 4 == 0);
  std::uint32_t words[sizeof(T) / 4];
};
}  // namespace detail

// Another thread's value. T: trivial, of whole 32-bit words; all threads of the warp take part.
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int mask) {
  auto parts = functors::bit_cast<detail::Words<T>>(value);
  CROSSDOCK_UNROLL
  for (auto& word : parts.words) word = __shfl_xor_sync(kWholeWarp, word, mask);
  return functors::bit_cast<T>(parts);
}
template <class T>
__device__ __forceinline__ T shuffle_up(T value, int distance) {
  auto parts = functors::bit_cast<detail::Words<T>>(value);
  CROSSDOCK_UNROLL
  for (auto& word : parts.words) word = __shfl_up_sync(kWholeWarp, word, distance);
  return functors::bit_cast<T>(parts);
}

}  // namespace crossdock::cuda
