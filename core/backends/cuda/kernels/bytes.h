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

// n elements in a row, moved at once: they lie on a multiple of their size together.
template <class T, int n>
struct alignas(sizeof(T) * n) Packed {
  T elements[n];
};

}  // namespace crossdock::cuda
