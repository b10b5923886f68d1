// copy: between any two dtypes, within one device.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::cuda {

void copy(const Launch& launch);

}  // namespace crossdock::cuda
