#include "flat.h"

#include <algorithm>

namespace crossdock::cuda {

bool is_flat(const Launch& launch, const Nest& nest, int lanes) noexcept {
  if (nest.ndim != 1) return false;
  for (int i = 0; i < nest.noperands; ++i) {
    const Operand& operand = launch.operands[static_cast<std::size_t>(i)];
    if (!operand.data) continue;
    const int size = itemsize(operand.dtype);
    if (nest.strides[0][i] != size && nest.size != 1) return false;
    const auto unit = static_cast<std::uintptr_t>(std::min(16, lanes * size));
    if (reinterpret_cast<std::uintptr_t>(nest.pointers[i]) % unit != 0) return false;
  }
  return true;
}

}  // namespace crossdock::cuda
