// Elements read where offsets or indexes lead.
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/locate.h"
#include "kernels/resolve.h"

namespace crossdock::cuda {

// T: what is moved at once. Where offsets were given they may not be multiples of its size.
template <class T>
__global__ void gather(const GatherArgs args) {
  constexpr int kAtOnce = 4;  // independent reads of each thread
  const NestArgs<3>& nest = args.nest;
  const std::int64_t step = grid_threads() * kAtOnce;
  std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * kAtOnce + threadIdx.x;
  for (; first < nest.size; first += step) {
    unsigned char* to[kAtOnce];
    const unsigned char* from[kAtOnce];
    T values[kAtOnce];
    CROSSDOCK_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      const std::int64_t i = first + k * blockDim.x;
      to[k] = nullptr;
      from[k] = nullptr;
      if (i >= nest.size) continue;
      std::int64_t at[3], offset;
      locate(nest, i, at);
      to[k] = nest.operands[2].data + at[2];
      const unsigned char* place = nest.operands[1].data + at[1];
      if (resolve(args.places, place, offset))
        from[k] = nest.operands[0].data + at[0] + offset;
      else
        report_outside(nest.errors, args.places, place);
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      values[k] = T{};
      if (!from[k]) continue;
      if (reinterpret_cast<std::uint64_t>(from[k]) % alignof(T) == 0)
        values[k] = *reinterpret_cast<const T*>(from[k]);
      else
        memcpy(&values[k], from[k], sizeof(T));
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (to[k]) *reinterpret_cast<T*>(to[k]) = values[k];
    }
  }
}

}  // namespace crossdock::cuda
