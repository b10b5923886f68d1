// Eigenvalues and eigenvectors of Hermitian matrices by Jacobi's method, one block for each matrix.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/jacobi.h"

namespace crossdock::cuda {

// A pair's rotation; of sine 0 for a column that has no partner, or one that is done.
template <class T>
inline Rotation<T> find_rotation(const Columns<T>& a, Pair pair, Real<T> least, bool& rotates) {
  Rotation<T> none{1, T{}, 0};
  if (pair.q >= a.rows) return none;
  const T b = a(pair.p, pair.q);
  const Real<T> size = root_of(square_of(b));
  if (!(size > least)) return none;
  rotates = true;
  return rotation_of(real_of(a(pair.p, pair.p)), real_of(a(pair.q, pair.q)), b, size);
}

// Where rows of one pair meet columns of another.
template <class T>
inline void rotate_block(const Columns<T>& a, Pair rows, Pair columns, const Rotation<T>& left,
                         const Rotation<T>& right) {
  const bool two_rows = rows.q < a.rows, two_columns = columns.q < a.rows;
  T x[2][2] = {};
  x[0][0] = a(rows.p, columns.p);
  if (two_columns) x[0][1] = a(rows.p, columns.q);
  if (two_rows) x[1][0] = a(rows.q, columns.p);
  if (two_rows && two_columns) x[1][1] = a(rows.q, columns.q);
  for (int i = 0; i < 2; ++i) rotate(right, x[i][0], x[i][1]);
  const Rotation<T> adjoint{left.cosine, conjugate(left.sine), 0};
  for (int j = 0; j < 2; ++j) rotate(adjoint, x[0][j], x[1][j]);
  a(rows.p, columns.p) = x[0][0];
  if (two_columns) a(rows.p, columns.q) = x[0][1];
  if (two_rows) a(rows.q, columns.p) = x[1][0];
  if (two_rows && two_columns) a(rows.q, columns.q) = x[1][1];
}

template <class T>
inline void rotate_all(const Columns<T>& a, int step, int even, const Rotation<T>* rotations) {
  const int pairs = even / 2;
  Group::for_all(pairs, pairs, [&](int i, int j) {
    const Pair rows = pair_of(step, i, even), columns = pair_of(step, j, even);
    if (i != j) return rotate_block(a, rows, columns, rotations[i], rotations[j]);
    if (rows.q >= a.rows || rotations[i].sine == T{}) return;
    a(rows.p, rows.p) = Make<T>::of(real_of(a(rows.p, rows.p)) - rotations[i].shift);
    a(rows.q, rows.q) = Make<T>::of(real_of(a(rows.q, rows.q)) + rotations[i].shift);
    a(rows.p, rows.q) = a(rows.q, rows.p) = T{};
  });
}

// `a` becomes diagonal, `v` the product of the rotations; false when it does not.
template <class T>
inline bool diagonalize(const Columns<T>& a, const Columns<T>& v, bool vectors, Rotation<T>* rotations, Real<T> least) {
  const int n = a.rows, even = n + n % 2, pairs = even / 2;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotates = false;
    for (int step = 0; step < even - 1; ++step) {
      for (int i = thread(); i < pairs; i += threads())
        rotations[i] = find_rotation(a, pair_of(step, i, even), least, rotates);
      __syncthreads();
      rotate_all(a, step, even, rotations);
      if (vectors) {
        Group::for_all(n, pairs, [&](int i, int j) {
          const Pair pair = pair_of(step, j, even);
          if (pair.q < n) rotate(rotations[j], v(i, pair.p), v(i, pair.q));
        });
      }
      __syncthreads();
    }
    if (!__syncthreads_or(rotates)) return true;
  }
  return false;
}

template <class T>
inline Real<T> read_lower(const Group& group, const Columns<T>& a) {
  Real<T> largest = 0;
  Group::for_all(a.rows, a.rows, [&](int i, int j) {
    const T value = i >= j ? group.read<T>(0, i, j) : conjugate(group.read<T>(0, j, i));
    a(i, j) = i == j ? Make<T>::of(real_of(value)) : value;
    largest = larger(largest_part(a(i, j)), largest);
  });
  return largest_of_block(largest);
}

template <class T>
inline void write_eigen(const Group& group, const Columns<T>& a, const Columns<T>& v, bool vectors, Real<T> scale,
                        Real<T>* values, int* places) {
  const int n = a.rows;
  for (int i = thread(); i < n; i += threads()) values[i] = real_of(a(i, i));
  __syncthreads();
  sort_places(values, n, false, places);
  for (int i = thread(); i < n; i += threads()) group.write<Real<T>>(1, places[i], 0, values[i] * scale);
  if (vectors) Group::for_all(n, n, [&](int i, int j) { group.write<T>(2, i, places[j], v(i, j)); });
}

template <class T, bool vectors>
__global__ void __launch_bounds__(kLinalgThreads) eigh(const LinalgArgs args) {
  const int n = args.rows;
  Work work(args);
  const Columns<T> a = work.matrix<T>(n, n), v = work.matrix<T>(n, vectors ? n : 0);
  auto* const rotations = work.take<Rotation<T>>((n + 1) / 2);
  auto* const values = work.take<Real<T>>(n);
  int* const places = work.take<int>(n);
  for_matrices(args, [&](const Group& group) {
    const Real<T> largest = read_lower(group, a);
    bool done = false;
    if (content_of(largest) == Content::finite) {
      const Real<T> scale = scale_near(largest);
      Real<T> sum = 0;
      Group::for_all(n, n, [&](int i, int j) {
        a(i, j) = Make<T>::of(real_of(a(i, j)) / scale, imag_of(a(i, j)) / scale);
        sum += square_of(a(i, j));
        if (vectors) v(i, j) = Make<T>::of(static_cast<Real<T>>(i == j));
      });
      const Real<T> least = Limits<Real<T>>::epsilon * root_of(sum_block(sum)) / static_cast<Real<T>>(n);
      done = diagonalize(a, v, vectors, rotations, least);
      if (done) return write_eigen(group, a, v, vectors, scale, values, places);
    }
    if (content_of(largest) != Content::infinite) group.fail(1);
    group.write_nan<Real<T>>(1, n, 1);
    if (vectors) group.write_nan<T>(2, n, n);
  });
}

}  // namespace crossdock::cuda
