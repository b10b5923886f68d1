// ArangeArgs: numbers at equal distances.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

struct ArangeArgs {
  std::int64_t size, stride;
  unsigned char* to;
  std::uint64_t whole_start, whole_step;  // of integers, modulo 2^64
  double start, step;                     // of others
};

}  // namespace crossdock::cuda
