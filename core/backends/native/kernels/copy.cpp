#include "copy.h"

#include "conversion.h"
#include "nest.h"
#include "transpose.h"

namespace crossdock::native {

namespace {

// One element to many: converted once.
void fill(const Nest& nest, const Conversion& conversion, Dtype to) {
  alignas(16) std::byte value[16];
  conversion(nest.pointers[0], 0, value, itemsize(to), 1);
  Nest moves = nest;
  moves.pointers[0] = value;
  const Loop move = loops().move[itemsize(to)];
  for_rows(moves, kGrain, move);
}

bool reads_one_element(const Nest& nest) noexcept {
  for (int dim = 0; dim < nest.ndim; ++dim) {
    if (nest.strides[dim][0] != 0) return false;
  }
  return true;
}

}  // namespace

void copy(const Launch& launch) {
  const Dtype from = launch.operands[0].dtype, to = launch.operands[1].dtype;
  const Conversion conversion(from, to);
  if (launch.shape.size() <= 1 && conversion.direct()) {
    const Loop loop = conversion.direct();
    if (launch.shape.size() == 0 || launch.shape[0] <= kGrain) return for_rows(launch, kGrain, loop);
  }
  const Nest nest(launch);
  if (nest.size == 0) return;
  if (nest.size > 1 && reads_one_element(nest)) return fill(nest, conversion, to);
  if (is_transposition(nest, itemsize(from), itemsize(to)))
    return transpose(nest, conversion, itemsize(from), itemsize(to));
  if (const Loop loop = conversion.direct()) return for_rows(nest, kGrain, loop);
  for_rows(nest, kGrain, conversion);
}

}  // namespace crossdock::native
