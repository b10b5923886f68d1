// What the kernels of nonzero are given.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

// Masks are counted and numbered by tiles, one block each, with so many elements for each thread.
inline constexpr int kNonzeroThreads = 256;
inline constexpr int kNonzeroPerThread = 16;

enum class NonzeroStep : int { count, scan, number };

struct NonzeroArgs {
  static constexpr int kMaxNdim = 64;  // in C order, so that nothing can be done in parts
  const unsigned char* mask;
  std::int64_t size, room, tiles;
  std::int64_t* counts;  // of each tile; after the scan how many come before it, and all of them at the end
  std::int64_t* out;
  int ndim;
  bool flat;  // the mask lies in one piece, on a multiple of 16
  std::int64_t shape[kMaxNdim];
  std::int64_t strides[2][kMaxNdim];  // of the mask, of the numbers
};

}  // namespace crossdock::cuda
