// What a scan's kernels are given; read by the host's compiler and by NVRTC alike.
#pragma once

#include "kernels/reduction_args.h"

namespace crossdock::cuda {

inline constexpr int kScanThreads = 256;  // of each block
// Elements of a thread at a time, by the bytes of an accumulator.
inline constexpr int scan_items(int nbytes) { return nbytes >= 16 ? 4 : 8; }

// Each of `lines` is scanned along its `length` elements, in `parts`: once to add them up, when there are several, and
// once to write the results.
struct ScanArgs {
  const unsigned char* input;
  unsigned char* output;
  unsigned char* totals;  // accumulators by lines, then by parts (across: by parts, then by lines); null for one part
  std::int64_t size;      // lines
  std::int64_t length;
  std::int64_t part;  // elements of a part
  std::int64_t parts;
  std::int64_t input_stride, output_stride;  // bytes, along a line
  int input_dtype;                           // crossdock::Dtype
  bool across;                               // neighbouring threads have neighbouring lines
  bool adding_up;                            // write totals, no results
  int width_log2;                            // across: lines of a block; its other threads have other parts
  NestDims<2> lines;                         // input, output
};

}  // namespace crossdock::cuda
