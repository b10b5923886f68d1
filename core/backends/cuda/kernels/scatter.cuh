// Elements written where settled offsets lead (claim.cuh).
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/locate.h"
#include "kernels/places.h"

namespace crossdock::cuda {

// Operands: values (data null: one for all), settled offsets, target. T: what is moved at once; offsets may not be
// multiples of its size.
template <class T>
__global__ void scatter(const NestArgs<3> nest) {
  for (std::int64_t i = grid_thread(); i < nest.size; i += grid_threads()) {
    std::int64_t at[3];
    locate(nest, i, at);
    const std::int64_t offset = *reinterpret_cast<const std::int64_t*>(nest.operands[1].data + at[1]);
    if (offset == kNowhere) continue;
    T value;
    if (nest.operands[0].data)
      value = *reinterpret_cast<const T*>(nest.operands[0].data + at[0]);
    else
      memcpy(&value, nest.operands[0].immediate + at[0], sizeof(T));
    unsigned char* const to = nest.operands[2].data + at[2] + offset;
    if (reinterpret_cast<std::uint64_t>(to) % alignof(T) == 0)
      *reinterpret_cast<T*>(to) = value;
    else
      memcpy(to, &value, sizeof(T));
  }
}

}  // namespace crossdock::cuda
