// Binary searches, one for each thread.
#pragma once

#include "kernels/device.h"
#include "kernels/nest_place.h"
#include "kernels/sort_args.h"

namespace crossdock::cuda {

template <class Bits>
__global__ void searchsorted(const SearchArgs args) {
  CROSSDOCK_ROLLED
  for (std::int64_t i = grid_thread(); i < args.size; i += grid_threads()) {
    const Bits wanted =
        args.order.key(*reinterpret_cast<const Bits*>(args.values + place(args.nest, args.nest.ndim, i)));
    std::int64_t first = 0, size = args.sorted_size;  // `first` elements are known to come before
    while (size > 0) {
      const std::int64_t half = (size + 1) / 2;
      const Bits key =
          args.order.key(*reinterpret_cast<const Bits*>(args.sorted + (first + half - 1) * args.sorted_stride));
      if (key < wanted || (args.right && key == wanted)) first += half;
      size -= half;
    }
    *reinterpret_cast<std::int64_t*>(args.output + place(args.nest, args.nest.ndim, i, 1)) = first;
  }
}

}  // namespace crossdock::cuda
