// Kernels: index_offsets, gather, scatter, nonzero.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void index_offsets(const Launch& launch);
void gather(const Launch& launch);
void scatter(const Launch& launch);
void nonzero(const Launch& launch);

void register_indexing(KernelTable& table);

}  // namespace crossdock::native
