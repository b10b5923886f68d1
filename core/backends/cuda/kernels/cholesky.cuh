// Cholesky factors, one block for each matrix, column after column.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/stack.h"

namespace crossdock::cuda {

// Replaces the lower triangle; the number of the first minor that is not positive, or 0.
template <class T>
inline int factor_cholesky(const Columns<T>& a) {
  const int n = a.rows;
  for (int j = 0; j < n; ++j) {
    for (int i = j + thread(); i < n; i += threads()) {
      T value = a(i, j);
      for (int k = 0; k < j; ++k) value = value - a(i, k) * conjugate(a(j, k));
      a(i, j) = value;
    }
    __syncthreads();
    const Real<T> pivot = real_of(a(j, j));
    if (pivot <= 0) return j + 1;  // not a number goes on, as in LAPACK
    const Real<T> root = root_of(pivot);
    __syncthreads();
    for (int i = j + thread(); i < n; i += threads())
      a(i, j) = i == j ? Make<T>::of(root) : Make<T>::of(real_of(a(i, j)) / root, imag_of(a(i, j)) / root);
    __syncthreads();
  }
  return 0;
}

template <class T>
__global__ void __launch_bounds__(kLinalgThreads) cholesky(const LinalgArgs args) {
  const int n = args.rows;
  const bool upper = args.choice != 0;
  const Columns<T> a = Work(args).matrix<T>(n, n);
  for_matrices(args, [&](const Group& group) {
    Group::for_all(n, n, [&](int i, int j) {
      if (i >= j) a(i, j) = upper ? conjugate(group.read<T>(0, j, i)) : group.read<T>(0, i, j);
    });
    __syncthreads();
    if (const int info = factor_cholesky(a)) {
      group.fail(info);
      return group.write_nan<T>(1, n, n);
    }
    group.write_all<T>(1, n, n, [&](int i, int j) {
      if (upper) return i <= j ? conjugate(a(j, i)) : T{};
      return i >= j ? a(i, j) : T{};
    });
  });
}

}  // namespace crossdock::cuda
