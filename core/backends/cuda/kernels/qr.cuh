// QR decompositions by Householder reflectors, one block for each matrix.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/householder.h"

namespace crossdock::cuda {

template <class T>
__global__ void __launch_bounds__(kLinalgThreads) qr(const LinalgArgs args) {
  const int m = args.rows, n = args.columns, k = m < n ? m : n, width = args.choice != 0 ? m : k;
  Work work(args);
  const Columns<T> a = work.matrix<T>(m, n), q = work.matrix<T>(m, width);
  T* const taus = work.take<T>(k);
  for_matrices(args, [&](const Group& group) {
    group.read_all(0, a, n);
    __syncthreads();
    factor_qr(a, n, k, taus);
    group.write_all<T>(2, width, n, [&](int i, int j) { return i <= j ? a(i, j) : T{}; });
    make_unitary(a, k, taus, q, 0, width);
    group.write_all<T>(1, m, width, [&](int i, int j) { return q(i, j); });
  });
}

}  // namespace crossdock::cuda
