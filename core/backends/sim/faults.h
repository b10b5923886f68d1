// Faults on demand. Which request fails is decided when the program makes it, not when a worker comes to it: the same
// program fails at the same place every time.
#pragma once

#include "crossdock/backends/sim.h"

namespace crossdock::sim {

// Each counts one request of its kind, and says whether that one fails.
bool allocation_fails(int index) noexcept;
bool copy_fails(int index) noexcept;
bool operation_finds_device_lost(
    int index) noexcept;  // an operation is an allocation, a copy, a kernel, queued host work

bool is_lost(int index) noexcept;  // counts nothing

}  // namespace crossdock::sim
