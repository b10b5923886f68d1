// IndexedArgs: operands with strides, with what it takes to find elements by 32-bit numbers and without division.
#pragma once

#include "kernels/args.h"

namespace crossdock::cuda {

// Launches over more elements are done in parts: numbers of elements and sums of a few stay within 32 bits.
inline constexpr std::int64_t kMaxIndexedSize = std::int64_t{1} << 30;

// Divides numbers below 2^31 by one in [1, 2^31) with a multiplication (Granlund and Montgomery, "Division by invariant
// integers using multiplication", figure 4.1).
struct Divisor {
  std::uint32_t value, multiplier, shift;
};

CROSSDOCK_HD Divisor divisor(std::uint32_t value) {
  std::uint32_t shift = 0;
  while ((std::uint64_t{1} << shift) < value) ++shift;
  const std::uint64_t excess = (std::uint64_t{1} << shift) - value;
  return {value, static_cast<std::uint32_t>((excess << 32) / value + 1), shift};
}

CROSSDOCK_HD std::uint32_t divide(std::uint32_t number, const Divisor& by) {
  const auto high = static_cast<std::uint32_t>((static_cast<std::uint64_t>(number) * by.multiplier) >> 32);
  return (high + number) >> by.shift;
}

// The last dimension is the innermost.
template <int n>
struct IndexedArgs {
  std::uint32_t size;  // elements, at least 1
  int ndim;            // at least 1
  ErrorRecord* errors;
  KernelOperand operands[n];
  Divisor extents[kMaxKernelNdim];
  std::int64_t strides[kMaxKernelNdim][n];  // bytes
};

// Where an element is in each operand, in bytes from its first one.
template <int n>
struct Offsets {
  std::int64_t at[n];
};

// Of `steps` elements, `step` apart; numbers beyond the last give any. Dimension by dimension for all of them together,
// so that their divisions do not wait for each other.
template <int n, int steps>
CROSSDOCK_HD void find_offsets(const IndexedArgs<n>& args, std::uint32_t first, std::uint32_t step,
                               Offsets<n> (&offsets)[steps]) {
  std::uint32_t elements[steps];
  CROSSDOCK_UNROLL
  for (int k = 0; k < steps; ++k) {
    elements[k] = first + k * step;
    offsets[k] = {};
  }
#ifdef __CUDACC_RTC__
#pragma unroll 1  // the elements are what is unrolled
#endif
  for (int dim = args.ndim - 1; dim > 0; --dim) {
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::uint32_t rest = divide(elements[k], args.extents[dim]);
      const std::int64_t index = elements[k] - rest * args.extents[dim].value;
      CROSSDOCK_UNROLL
      for (int i = 0; i < n; ++i) offsets[k].at[i] += index * args.strides[dim][i];
      elements[k] = rest;
    }
  }
  CROSSDOCK_UNROLL
  for (int k = 0; k < steps; ++k) {
    CROSSDOCK_UNROLL
    for (int i = 0; i < n; ++i) offsets[k].at[i] += static_cast<std::int64_t>(elements[k]) * args.strides[0][i];
  }
}

}  // namespace crossdock::cuda
