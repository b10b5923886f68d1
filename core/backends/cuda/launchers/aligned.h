// aligned: kernels for arrays that lie anywhere. GPUs read elements only on multiples of their size; another library's
// arrays can lie elsewhere.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::cuda {

// Whether all elements of all operands lie on multiples of their size (complex128: of 8 bytes).
bool is_aligned(const Launch& launch) noexcept;
// Runs the kernel on aligned copies of the operands that need it. Elementwise launches only: every operand has the
// launch's shape.
void run_aligned(const Launch& launch, Kernel kernel);

template <Kernel kernel>
void aligned(const Launch& launch) {
  is_aligned(launch) ? kernel(launch) : run_aligned(launch, kernel);
}

}  // namespace crossdock::cuda
