// Matrix products: BLAS for float32, float64 and complex where there is one, the own GEMM for everything else.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_matmul(KernelTable& table);

}  // namespace crossdock::native
