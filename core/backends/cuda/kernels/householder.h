// Householder reflectors I - tau v v^H, as LAPACK has them: v begins with 1, the rest lies below the diagonal.
#pragma once

#include "kernels/stack.h"

namespace crossdock::cuda {

// The length of a column's elements from row `first` on, without overflow in between.
template <class T>
inline Real<T> length_of(const Columns<T>& a, int j, int first) {
  Real<T> largest = 0;
  for (int i = first + thread(); i < a.rows; i += threads())
    largest = larger(larger(absolute(real_of(a(i, j))), absolute(imag_of(a(i, j)))), largest);
  largest = largest_of_block(largest);
  if (largest == 0) return 0;
  Real<T> sum = 0;
  for (int i = first + thread(); i < a.rows; i += threads()) {
    const Real<T> re = real_of(a(i, j)) / largest, im = imag_of(a(i, j)) / largest;
    sum += re * re + im * im;
  }
  return largest * root_of(sum_block(sum));
}

// Makes the reflector that turns column j from row j on into (beta, 0, ...): v replaces what is below the diagonal, a
// real beta what is on it. Returns tau.
template <class T>
inline T make_reflector(const Columns<T>& a, int j) {
  const Real<T> below = length_of(a, j, j + 1);
  const T alpha = a(j, j);
  __syncthreads();
  if (below == 0 && imag_of(alpha) == 0) return {};
  const Real<T> re = real_of(alpha), im = imag_of(alpha);
  const Real<T> largest = larger(larger(absolute(re), absolute(im)), below);
  const Real<T> scaled = square_of(re / largest) + square_of(im / largest) + square_of(below / largest);
  const Real<T> length = largest * root_of(scaled), beta = re < 0 ? length : -length;
  const T divisor = alpha - Make<T>::of(beta);
  for (int i = j + 1 + thread(); i < a.rows; i += threads()) a(i, j) = a(i, j) / divisor;
  if (thread() == 0) a(j, j) = Make<T>::of(beta);
  __syncthreads();
  return Make<T>::of((beta - re) / beta, -im / beta);
}

// Applies I - tau v v^H, where v is in column j of `a`, to columns [first, last) of `to`; a warp does a column.
template <class T>
inline void reflect(const Columns<T>& a, int j, T tau, const Columns<T>& to, int first, int last) {
  if (tau == T{}) return;
  const int lane = thread() % kWarpSize, warps = threads() / kWarpSize;
  for (int column = first + thread() / kWarpSize; column < last; column += warps) {
    T sum{};
    for (int i = j + lane; i < a.rows; i += kWarpSize)
      sum = sum + (i == j ? to(i, column) : conjugate(a(i, j)) * to(i, column));
    sum = tau * sum_warp(sum);
    for (int i = j + lane; i < a.rows; i += kWarpSize) to(i, column) = to(i, column) - (i == j ? sum : a(i, j) * sum);
  }
  __syncthreads();
}

// The first `count` columns become reflectors and, on and above the diagonal, r.
template <class T>
inline void factor_qr(const Columns<T>& a, int columns, int count, T* taus) {
  for (int j = 0; j < count; ++j) {
    const T tau = make_reflector(a, j);
    if (thread() == 0) taus[j] = tau;
    reflect(a, j, conjugate(tau), a, j + 1, columns);
  }
  __syncthreads();
}

// Columns [first, last) of the unitary matrix that is the product of `count` reflectors.
template <class T>
inline void make_unitary(const Columns<T>& a, int count, const T* taus, const Columns<T>& q, int first, int last) {
  Group::for_all(q.rows, last - first,
                 [&](int i, int j) { q(i, first + j) = Make<T>::of(static_cast<Real<T>>(i == first + j)); });
  __syncthreads();
  for (int j = count - 1; j >= 0; --j) reflect(a, j, taus[j], q, first > j ? first : j, last);
}

}  // namespace crossdock::cuda
