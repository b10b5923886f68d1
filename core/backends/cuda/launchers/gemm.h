// gemm: matrix products by the own kernel, of every numeric dtype and any strides.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::cuda {

void gemm(const Launch& launch);  // of Op::matmul

}  // namespace crossdock::cuda
