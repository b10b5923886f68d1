// Runs of bytes, brought together.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void pack(const Launch& launch);

}  // namespace crossdock::native
