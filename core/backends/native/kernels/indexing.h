// Kernels: index_offsets, gather, scatter, nonzero.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_indexing(KernelTable& table);

}  // namespace crossdock::native
