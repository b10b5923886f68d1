// where: elements of one array or another, as a bool array says; any dtype.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void where(const Launch& launch);

}  // namespace crossdock::native
