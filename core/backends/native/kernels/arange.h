// arange: out[i] = start + i * step.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void arange(const Launch& launch);

}  // namespace crossdock::native
