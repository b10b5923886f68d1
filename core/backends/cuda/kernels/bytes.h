// Elements by their size alone.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

struct Bytes16 {
  std::uint64_t low, high;
};

// What one memory instruction moves at most.
struct alignas(16) Line16 {
  std::uint32_t words[4];
};

}  // namespace crossdock::cuda
