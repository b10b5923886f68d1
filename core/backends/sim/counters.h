// Counts what a device moves, in the order in which the program asks for it.
#pragma once

#include <cstddef>

#include "crossdock/backends/sim.h"

namespace crossdock::sim {

enum class Direction { host_to_device, device_to_host, device_to_device };

void count_copy(int index, Direction direction, std::size_t nbytes) noexcept;
void count_sync(int index) noexcept;

}  // namespace crossdock::sim
