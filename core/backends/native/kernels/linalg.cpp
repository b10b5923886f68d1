#include "linalg.h"

#include "lapack.h"

namespace crossdock::native {

void register_linalg(KernelTable& table) {
  constexpr std::pair<Op, Kernel> kKernels[] = {{Op::cholesky, cholesky}, {Op::lu, lu},   {Op::solve, solve},
                                                {Op::inv, inv},           {Op::qr, qr},   {Op::eigh, eigh},
                                                {Op::eigvalsh, eigh},     {Op::svd, svd}, {Op::svdvals, svd}};
  for (const auto& [op, kernel] : kKernels) {
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128}) {
      table.set(op, dtype, kernel);
    }
    table.set_requirement(op, [] { Lapack::get(); });
  }
}

}  // namespace crossdock::native
