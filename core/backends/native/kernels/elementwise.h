// Elementwise kernels: unary and binary operations of every dtype that has a loop, float16 and bfloat16 through float.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_elementwise(KernelTable& table);

}  // namespace crossdock::native
