// What a reduction's kernels are given; read by the host's compiler and by NVRTC alike.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

inline constexpr int kReductionThreads = 256;  // of each block
inline constexpr int kMaxReductionNdim = 64;   // any launch: reductions are never done in parts for their dimensions

// Dimensions with strides in bytes; the last one is the innermost.
template <int operands>
struct NestDims {
  int ndim;  // at least 1
  std::int64_t shape[kMaxReductionNdim];
  std::int64_t strides[operands][kMaxReductionNdim];
};

// Elements of `kept` are results; each reduces the `length` elements of `reduced` from where it leads. Blocks take
// results by blockIdx.x and a part of the elements by blockIdx.y.
struct ReductionArgs {
  const unsigned char* input;
  const unsigned char* centres;  // squared_deviations alone
  unsigned char* output;
  unsigned char* partial;  // accumulators by parts, then by results; null: results are written here
  std::int64_t size;       // results
  std::int64_t length;     // elements for each of them
  std::int64_t part;       // elements of a part
  std::int64_t count;      // squared_deviations: elements that a result is made of in the end
  std::uint64_t mask;      // any, all: the bits that make an element true
  int output_size;         // bytes of a result
  bool output_bfloat16;
  bool across;          // neighbouring threads have neighbouring results, not neighbouring elements of one
  bool runs;            // the innermost of the reduced dimensions is contiguous, and long
  int lanes_log2;       // threads for each result
  NestDims<3> kept;     // input, centres, output
  NestDims<1> reduced;  // input
};

}  // namespace crossdock::cuda
