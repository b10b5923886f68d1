// One value everywhere, as bits: T is an unsigned integer of its size, or Bytes16.
#pragma once

#include "kernels/args.h"
#include "kernels/bytes.h"
#include "kernels/device.h"

namespace crossdock::cuda {

template <class T>
__global__ void fill(const FlatArgs<2> args) {  // from the scalar, to the array
  const T value = *reinterpret_cast<const T*>(args.operands[0].immediate);
  T* const to = reinterpret_cast<T*>(args.operands[1].data);
  for (std::int64_t i = grid_thread(); i < args.size; i += grid_threads()) to[i] = value;
}

}  // namespace crossdock::cuda
