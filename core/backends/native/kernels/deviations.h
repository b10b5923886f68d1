// Kernel: squared_deviations.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_deviations(KernelTable& table);

}  // namespace crossdock::native
