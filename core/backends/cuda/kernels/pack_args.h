// PackArgs: runs of bytes from one place to another.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

struct PackRun {
  std::int64_t from, nbytes, to;  // places in bytes from the operands' first
};
struct PackArgs {
  static constexpr int kMost = 160;
  const unsigned char* from;
  unsigned char* to;
  PackRun runs[kMost];  // one for each blockIdx.y
};

}  // namespace crossdock::cuda
