// Kernels: sort, argsort, searchsorted.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_ordering(KernelTable& table);

}  // namespace crossdock::native
