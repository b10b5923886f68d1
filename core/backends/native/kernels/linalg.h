// Kernels: factorizations of matrices, by LAPACK.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_linalg(KernelTable& table);

// Each matrix is at least 1 x 1.
void cholesky(const Launch& launch);
void lu(const Launch& launch);
void solve(const Launch& launch);
void inv(const Launch& launch);
void qr(const Launch& launch);
void eigh(const Launch& launch);
void svd(const Launch& launch);

}  // namespace crossdock::native
