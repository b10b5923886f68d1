// argmax, argmin.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void arg_reduce(const Launch& launch);

}  // namespace crossdock::native
