// Copies between any two dtypes: moves, fills, conversions and transpositions.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void copy(const Launch& launch);

}  // namespace crossdock::native
