// Reductions: sum, prod, max, min, any, all, argmax, argmin.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_reductions(KernelTable& table);

}  // namespace crossdock::native
