// The table of all CUDA kernels.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::cuda {

const KernelTable& kernels();

}  // namespace crossdock::cuda
