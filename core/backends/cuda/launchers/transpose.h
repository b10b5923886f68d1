// Copies within one dtype whose source runs along one dimension and whose target along another.
#pragma once

#include "launcher.h"

namespace crossdock::cuda {

// Of at most kMaxIndexedSize elements of `itemsize` bytes, in at most kMaxKernelNdim dimensions. False, and nothing is
// done, when rows would do as well.
bool transpose(const Launcher& launcher, const Nest& nest, int itemsize);

}  // namespace crossdock::cuda
