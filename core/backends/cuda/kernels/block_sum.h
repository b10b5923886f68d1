// Sums and maxima over a warp or a block of whole warps.
#pragma once

#include "kernels/device.h"
#include "kernels/field.h"

namespace crossdock::cuda {

struct AddUp {
  template <class R>
  CROSSDOCK_HD R operator()(R a, R b) const {
    return a + b;
  }
};
struct KeepLarger {
  template <class R>
  CROSSDOCK_HD R operator()(R a, R b) const {
    return larger(a, b);
  }
};

// In all lanes.
template <class R, class Combine>
inline R combine_warp(R value, Combine combine) {
  for (int step = kWarpSize / 2; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(kWholeWarp, value, step));
  return value;
}
template <class R>
inline R sum_warp(R value) {
  return combine_warp(value, AddUp{});
}
template <class R>
inline functors::Complex<R> sum_warp(functors::Complex<R> value) {
  return {sum_warp(value.re), sum_warp(value.im)};
}

// In all threads; 0 goes with every value.
template <class R, class Combine>
inline R combine_block(R value, Combine combine) {
  __shared__ R parts[kWarpSize];
  value = combine_warp(value, combine);
  __syncthreads();  // the parts of an earlier call have been read
  if (threadIdx.x % kWarpSize == 0) parts[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  value = parts[0];
  for (int warp = 1; warp < static_cast<int>(blockDim.x) / kWarpSize; ++warp) value = combine(value, parts[warp]);
  return value;
}
template <class R>
inline R sum_block(R value) {
  return combine_block(value, AddUp{});
}
template <class R>
inline R largest_of_block(R value) {
  return combine_block(value, KeepLarger{});
}

// The place of the largest value, the first one of several; NaN is no value. For values that are not negative.
template <class R>
inline int place_of_largest(R value, int place) {
  __shared__ R values[kWarpSize];
  __shared__ int places[kWarpSize];
  const auto take = [&](R other, int other_place) {
    if (!(other > value) && !(other == value && other_place < place)) return;
    value = other;
    place = other_place;
  };
  for (int step = kWarpSize / 2; step > 0; step /= 2) {
    const R other = __shfl_xor_sync(kWholeWarp, value, step);
    take(other, __shfl_xor_sync(kWholeWarp, place, step));
  }
  __syncthreads();
  if (threadIdx.x % kWarpSize == 0) {
    values[threadIdx.x / kWarpSize] = value;
    places[threadIdx.x / kWarpSize] = place;
  }
  __syncthreads();
  value = values[0];
  place = places[0];
  for (int warp = 1; warp < static_cast<int>(blockDim.x) / kWarpSize; ++warp) take(values[warp], places[warp]);
  return place;
}

}  // namespace crossdock::cuda
