// How sorting kernels read rows and write them in order.
#pragma once

#include "crossdock/functors/complex.h"
#include "kernels/device.h"
#include "kernels/nest_place.h"
#include "kernels/sort_args.h"

namespace crossdock::cuda {

// The order of complex numbers: those with NaN as the imaginary part alone come between the others and those with NaN
// as the real part. 0, 1 and 2, or the other way round when descending.
template <class Bits>
CROSSDOCK_HD int nan_class(const OrderKey& order, Bits real, Bits imaginary) {
  const int which = real == order.nan<Bits>() ? 2 : imaginary == order.nan<Bits>() ? 1 : 0;
  return order.flip ? 2 - which : which;
}

CROSSDOCK_HD const unsigned char* row_input(const RowsArgs& args, std::int64_t row) {
  return args.input + place(args.rows, args.rows.ndim, args.first + row);
}

// Puts element `from` of a row, or its number, where `to` is.
CROSSDOCK_HD void write_sorted(const RowsArgs& args, const unsigned char* row, unsigned char* out, std::int64_t from,
                               std::int64_t to) {
  unsigned char* const target = out + to * args.output_stride;
  if (args.indices) {
    *reinterpret_cast<std::int64_t*>(target) = from;
    return;
  }
  const unsigned char* const source = row + from * args.input_stride;
  switch (args.itemsize) {
    case 1:
      *target = *source;
      break;
    case 2:
      *reinterpret_cast<std::uint16_t*>(target) = *reinterpret_cast<const std::uint16_t*>(source);
      break;
    case 4:
      *reinterpret_cast<std::uint32_t*>(target) = *reinterpret_cast<const std::uint32_t*>(source);
      break;
    case 8:
      *reinterpret_cast<std::uint64_t*>(target) = *reinterpret_cast<const std::uint64_t*>(source);
      break;
    default:
      *reinterpret_cast<functors::Complex<double>*>(target) =
          *reinterpret_cast<const functors::Complex<double>*>(source);
  }
}

}  // namespace crossdock::cuda
