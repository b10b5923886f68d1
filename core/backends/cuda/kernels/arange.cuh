// start + i * step, made in 64 bits, then converted.
#pragma once

#include "kernels/arange_args.h"
#include "kernels/device.h"
#include "kernels/element.h"

namespace crossdock::cuda {

template <class S>
__global__ void arange(const ArangeArgs args) {
  for (std::int64_t i = grid_thread(); i < args.size; i += grid_threads()) {
    auto* const to = reinterpret_cast<Raw<S>*>(args.to + i * args.stride);
    if constexpr (functors::is_integer<Computed<S>>)
      *to = static_cast<S>(args.whole_start + static_cast<std::uint64_t>(i) * args.whole_step);
    else
      *to = convert<S, double>(args.start + static_cast<double>(i) * args.step);
  }
}

}  // namespace crossdock::cuda
