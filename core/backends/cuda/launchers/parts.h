// for_parts: launches over rows or matrices whose dimensions are more than a kernel takes.
#pragma once

#include "../kernels/args.h"
#include "crossdock/runtime/nest.h"

namespace crossdock::cuda {

// Calls visit(launch) for the launch, or for each index along its first dimension where the nest of all dimensions but
// the last `own` is too deep.
template <class Visit>
void for_parts(const Launch& launch, int own, Visit&& visit) {
  const int batch = launch.shape.size() - own;
  if (batch <= kMaxKernelNdim || Nest(launch, 0, batch, 0, launch.noperands, true).ndim <= kMaxKernelNdim)
    return visit(launch);
  Launch part = launch;
  part.shape.erase(0);
  for (int i = 0; i < launch.noperands; ++i) {
    if (launch.operands[static_cast<std::size_t>(i)].data) part.operands[static_cast<std::size_t>(i)].strides.erase(0);
  }
  for (std::int64_t index = 0; index < launch.shape[0]; ++index) {
    for (int i = 0; i < launch.noperands; ++i) {
      const Operand& whole = launch.operands[static_cast<std::size_t>(i)];
      if (whole.data) part.operands[static_cast<std::size_t>(i)].data = whole.data + index * stride(whole, 0);
    }
    for_parts(part, own, visit);
  }
}

}  // namespace crossdock::cuda
