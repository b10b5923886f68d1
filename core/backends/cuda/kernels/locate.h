// locate: from an element's number to its place.
#pragma once

#include "kernels/args.h"
#include "kernels/device.h"

namespace crossdock::cuda {

// How far in bytes element `i`, counted in C order, lies from each operand's first one. Numbers that fit are divided as
// 32-bit ones, which is several times faster.
template <int n, int most>
CROSSDOCK_HD void locate(std::int64_t i, int ndim, const std::int64_t (&shape)[most],
                         const std::int64_t (&strides)[n][most], std::int64_t (&offsets)[n]) {
  for (int k = 0; k < n; ++k) offsets[k] = 0;
#ifdef __CUDACC_RTC__
#pragma unroll 1  // divisions are long
#endif
  for (int dim = ndim - 1; dim > 0; --dim) {
    const std::int64_t extent = shape[dim];
    std::int64_t index = i;
    if (i < extent) {
      i = 0;
    } else if (i <= 0xffffffff) {
      const auto narrow = static_cast<std::uint32_t>(i), divisor = static_cast<std::uint32_t>(extent);
      i = narrow / divisor;
      index = narrow - static_cast<std::uint32_t>(i) * divisor;
    } else {
      i /= extent;
      index -= i * extent;
    }
    for (int k = 0; k < n; ++k) offsets[k] += index * strides[k][dim];
  }
  for (int k = 0; k < n; ++k) offsets[k] += i * strides[k][0];
}

template <int n>
CROSSDOCK_HD void locate(const NestArgs<n>& nest, std::int64_t i, std::int64_t (&offsets)[n]) {
  locate(i, nest.ndim, nest.shape, nest.strides, offsets);
}

}  // namespace crossdock::cuda
