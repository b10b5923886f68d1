// The table of all host kernels.
#include "arange.h"
#include "copy.h"
#include "crossdock/backends/native.h"
#include "deviations.h"
#include "elementwise.h"
#include "fft.h"
#include "indexing.h"
#include "linalg.h"
#include "matmul.h"
#include "ordering.h"
#include "pack.h"
#include "reduction.h"
#include "scan.h"
#include "select.h"

namespace crossdock::native {

namespace {

KernelTable make_kernels() {
  KernelTable table;
  register_elementwise(table);
  register_reductions(table);
  register_deviations(table);
  register_matmul(table);
  register_indexing(table);
  register_ordering(table);
  register_scan(table);
  register_linalg(table);
  register_fft(table);
  table.set(Op::pack, Dtype::uint8, pack);
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    table.set(Op::copy, dtype, copy);
    table.set(Op::where, dtype, where);
    if (kind(dtype) != DtypeKind::storage && dtype != Dtype::bool_) table.set(Op::arange, dtype, arange);
  }
  return table;
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable table = make_kernels();
  return table;
}

}  // namespace crossdock::native
