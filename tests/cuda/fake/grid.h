// Runs a grid of an emulated kernel on the calling thread.
#pragma once

#include <cstddef>

#include "emulation.h"
#include "kernel_table.h"

namespace fake {

inline constexpr std::size_t kSharedMax = 227 << 10;

// kSuccess, or the error of the launch, with what happened in said().
int run_grid(const Kernel& kernel, const void* args, dim3 grid, dim3 block, std::size_t shared_nbytes);

}  // namespace fake
