// Kernel: searchsorted.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void searchsorted(const Launch& launch);

}  // namespace crossdock::native
