// The host sides of the kernel families: each puts its kernels into the table.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::cuda {

void register_elementwise(KernelTable& table);  // unary and binary operations
void register_where(KernelTable& table);
void register_arange(KernelTable& table);
void register_copy(KernelTable& table);
void register_pack(KernelTable& table);
void register_gather(KernelTable& table);  // and index_offsets
void register_scatter(KernelTable& table);
void register_nonzero(KernelTable& table);
void register_fft(KernelTable& table);
void register_reductions(KernelTable& table);  // argmax, argmin and squared_deviations too
void register_scans(KernelTable& table);
void register_matmul(KernelTable& table);
void register_ordering(KernelTable& table);  // sort, argsort
void register_searchsorted(KernelTable& table);
void register_linalg(KernelTable& table);

}  // namespace crossdock::cuda
