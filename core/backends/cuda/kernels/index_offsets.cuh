// Offsets made of indexes, added to those of other axes.
#pragma once

#include "kernels/device.h"
#include "kernels/locate.h"
#include "kernels/resolve.h"

namespace crossdock::cuda {

__global__ void index_offsets(const GatherArgs args) {
  const NestArgs<3>& nest = args.nest;
  for (std::int64_t i = grid_thread(); i < nest.size; i += grid_threads()) {
    std::int64_t at[3], offset;
    locate(nest, i, at);
    const unsigned char* place = nest.operands[0].data + at[0];
    if (!resolve(args.places, place, offset)) report_outside(nest.errors, args.places, place);
    if (nest.operands[1].data) {
      const std::int64_t so_far = *reinterpret_cast<const std::int64_t*>(nest.operands[1].data + at[1]);
      const bool nowhere = offset == kNowhere || so_far <= kNowhere / 2;
      offset = nowhere ? kNowhere : offset + so_far;
    }
    *reinterpret_cast<std::int64_t*>(nest.operands[2].data + at[2]) = offset;
  }
}

}  // namespace crossdock::cuda
