// Kernels: cumulative_sum, cumulative_prod.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_scan(KernelTable& table);

}  // namespace crossdock::native
