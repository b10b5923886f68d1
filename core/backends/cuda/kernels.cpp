#include "kernels.h"

#include "launchers/launchers.h"

namespace crossdock::cuda {
namespace {

KernelTable make_kernels() {
  KernelTable table;
  register_reductions(table);
  register_scans(table);
  register_elementwise(table);
  register_where(table);
  register_arange(table);
  register_copy(table);
  register_pack(table);
  register_matmul(table);
  register_ordering(table);
  register_searchsorted(table);
  register_gather(table);
  register_scatter(table);
  register_nonzero(table);
  register_fft(table);
  register_linalg(table);
  return table;
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable table = make_kernels();
  return table;
}

}  // namespace crossdock::cuda
