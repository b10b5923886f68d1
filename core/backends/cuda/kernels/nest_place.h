// Where an element of a nest lies.
#pragma once

#include "kernels/reduction_args.h"

namespace crossdock::cuda {

#ifdef __CUDACC_RTC__
#define CROSSDOCK_ROLLED _Pragma("unroll 1")
#define CROSSDOCK_CALLED __device__ __noinline__
#else
#define CROSSDOCK_ROLLED
#define CROSSDOCK_CALLED inline
#endif

// Quotient and remainder; division of 64 bits takes several times as long as that of 32.
CROSSDOCK_CALLED std::int64_t divide_long(std::int64_t number, std::int64_t by) { return number / by; }
CROSSDOCK_HD std::int64_t divide(std::int64_t number, std::int64_t by, std::int64_t* rest) {
  if (((number | by) >> 32) == 0) {
    const auto small = static_cast<std::uint32_t>(number), divisor = static_cast<std::uint32_t>(by);
    const std::uint32_t quotient = small / divisor;
    *rest = small - quotient * divisor;
    return quotient;
  }
  const std::int64_t quotient = divide_long(number, by);
  *rest = number - quotient * by;
  return quotient;
}

// In bytes from the first element, for operand `i`; `element` counts in C order over the first `ndim` dimensions.
template <int operands>
CROSSDOCK_HD std::int64_t place(const NestDims<operands>& nest, int ndim, std::int64_t element, int i = 0) {
  std::int64_t offset = 0, index = 0;
  CROSSDOCK_ROLLED
  for (int dim = ndim - 1; dim > 0; --dim) {
    element = divide(element, nest.shape[dim], &index);
    offset += index * nest.strides[i][dim];
  }
  return ndim > 0 ? offset + element * nest.strides[i][0] : 0;
}

}  // namespace crossdock::cuda
