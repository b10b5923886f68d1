// Packing: many small arrays cross as one block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crossdock/array/array.h"

namespace crossdock {

// Where each array begins in its block is a multiple of this.
inline constexpr std::int64_t kPackAlignment = 256;

// What lies in one block, in order; together with the gaps no more than PinnedPool::kChunk.
struct Parcel {
  Array from;
  Dtype dtype;
};
using Parcels = std::vector<Parcel>;

// One allocation and one transfer for each block. The results, in order, are views that keep their block alive. The
// sources, in host memory, have been read when it returns; a failure on the way is told by the stream's next wait, or
// here. DeviceError for a source elsewhere, ValueError for a block that is too large.
std::vector<Array> pack_to(Device& device, std::span<const Parcels> blocks);

// The way back.
struct Unpacking {
  Array to, from;  // of one shape
};
// One transfer for each block; no dtype of `to` is wider than that of `from`, or it is converted on the host. Waits.
void unpack_from(Device& device, std::span<const std::vector<Unpacking>> blocks);

}  // namespace crossdock
