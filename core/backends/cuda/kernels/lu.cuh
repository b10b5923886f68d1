// LU factors, and what is solved by them: one block for each matrix.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/stack.h"

namespace crossdock::cuda {

template <class T>
inline void swap_rows(const Columns<T>& a, int columns, int one, int other) {
  for (int j = thread(); j < columns; j += threads()) {
    const T value = a(one, j);
    a(one, j) = a(other, j);
    a(other, j) = value;
  }
}

// In place, with partial pivoting: row i was exchanged with row pivots[i]. The number of the first zero on the
// diagonal from 1 on, or 0.
template <class T>
inline int factor_lu(const Columns<T>& a, int columns, int* pivots) {
  const int rows = a.rows, steps = rows < columns ? rows : columns;
  int info = 0;
  for (int j = 0; j < steps; ++j) {
    Real<T> largest = -1;
    int place = rows;
    for (int i = j + thread(); i < rows; i += threads()) {
      const Real<T> size = size_of(a(i, j));
      if (!(size > largest)) continue;
      largest = size;
      place = i;
    }
    const int pivot_row = place_of_largest(largest, place);
    const int row = pivot_row < rows ? pivot_row : j;  // all are NaN
    if (thread() == 0) pivots[j] = row;
    const T pivot = a(row, j);
    __syncthreads();
    if (pivot == T{}) {
      if (info == 0) info = j + 1;
      continue;
    }
    if (row != j) {
      swap_rows(a, columns, j, row);
      __syncthreads();
    }
    for (int i = j + 1 + thread(); i < rows; i += threads()) a(i, j) = a(i, j) / pivot;
    __syncthreads();
    Group::for_all(rows - j - 1, columns - j - 1, [&](int i, int k) {
      T& element = a(j + 1 + i, j + 1 + k);
      element = element - a(j + 1 + i, j) * a(j, j + 1 + k);
    });
    __syncthreads();
  }
  return info;
}

// Replaces b.
template <class T>
inline void solve_lu(const Columns<T>& lu, const int* pivots, const Columns<T>& b, int columns) {
  const int n = lu.rows;
  for (int j = thread(); j < columns; j += threads()) {
    for (int i = 0; i < n; ++i) {
      const T value = b(i, j);
      b(i, j) = b(pivots[i], j);
      b(pivots[i], j) = value;
    }
  }
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    Group::for_all(n - k - 1, columns, [&](int i, int j) {
      T& element = b(k + 1 + i, j);
      element = element - lu(k + 1 + i, k) * b(k, j);
    });
    __syncthreads();
  }
  for (int k = n - 1; k >= 0; --k) {
    const T pivot = lu(k, k);
    for (int j = thread(); j < columns; j += threads()) b(k, j) = b(k, j) / pivot;
    __syncthreads();
    if (k == 0) break;
    Group::for_all(k, columns, [&](int i, int j) { b(i, j) = b(i, j) - lu(i, k) * b(k, j); });
    __syncthreads();
  }
}

template <class T>
__global__ void __launch_bounds__(kLinalgThreads) lu(const LinalgArgs args) {
  const int m = args.rows, n = args.columns, k = m < n ? m : n;
  Work work(args);
  const Columns<T> a = work.matrix<T>(m, n);
  int* const pivots = work.take<int>(k);
  for_matrices(args, [&](const Group& group) {
    group.read_all(0, a, n);
    __syncthreads();
    factor_lu(a, n, pivots);
    group.write_all<T>(1, m, n, [&](int i, int j) { return a(i, j); });
    for (int i = thread(); i < k; i += threads()) group.write<std::int64_t>(2, i, 0, pivots[i]);
    if (thread() != 0) return;
    bool odd = false;
    for (int i = 0; i < k; ++i) odd ^= pivots[i] != i;
    group.write<T>(3, 0, 0, Make<T>::of(static_cast<Real<T>>(odd ? -1 : 1)));
  });
}

// Operands: a, (b,) x. `inverts`: b is the identity.
template <class T, bool inverts>
__global__ void __launch_bounds__(kLinalgThreads) solve(const LinalgArgs args) {
  const int n = args.rows, columns = args.columns;
  constexpr int kOut = inverts ? 1 : 2;
  Work work(args);
  const Columns<T> a = work.matrix<T>(n, n), b = work.matrix<T>(n, columns);
  int* const pivots = work.take<int>(n);
  for_matrices(args, [&](const Group& group) {
    group.read_all(0, a, n);
    Group::for_all(n, columns, [&](int i, int j) {
      if constexpr (inverts)
        b(i, j) = Make<T>::of(static_cast<Real<T>>(i == j));
      else
        b(i, j) = group.read<T>(1, i, j);
    });
    __syncthreads();
    if (const int info = factor_lu(a, n, pivots)) {
      group.fail(info);
      return group.write_nan<T>(kOut, n, columns);
    }
    solve_lu(a, pivots, b, columns);
    group.write_all<T>(kOut, n, columns, [&](int i, int j) { return b(i, j); });
  });
}

}  // namespace crossdock::cuda
