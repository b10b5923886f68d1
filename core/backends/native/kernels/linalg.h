// Kernels: factorizations of matrices, by LAPACK.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_linalg(KernelTable& table);

}  // namespace crossdock::native
