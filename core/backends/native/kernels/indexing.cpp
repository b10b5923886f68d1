#include "indexing.h"

namespace crossdock::native {

void register_indexing(KernelTable& table) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    table.set(Op::gather, dtype, gather);
    table.set(Op::scatter, dtype, scatter);
    if (is_integer(dtype)) table.set(Op::index_offsets, dtype, index_offsets);
  }
  table.set(Op::nonzero, Dtype::bool_, nonzero);
}

}  // namespace crossdock::native
