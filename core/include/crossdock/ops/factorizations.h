// Factorizations of matrices, the last two dimensions (array API standard, "Linear Algebra Functions").
//
// All take float32, float64, complex64 and complex128 and give fresh arrays. DimensionError naming the shape,
// NotImplementedError where the device's library for them is not there; LinAlgError where a matrix has no such
// factorization, on accelerators found at the next synchronisation.
#pragma once

#include "crossdock/array/array.h"

namespace crossdock {

// DtypeError naming `op`, with advice, for other dtypes; DimensionError for fewer than two dimensions.
void require_matrices(const char* op, const Array& x);
// The same, and DimensionError unless the last two extents are equal.
void require_square(const char* op, const Array& x);
// The dimensions before the last two.
Dims batch_of(const Array& x);

// The lower (upper) factor of Hermitian, positive definite matrices, of which only that triangle is read.
Array cholesky(const Array& x, bool upper);

// Both factors in one matrix, the lower one without its diagonal of ones; pivots[i] (int64): the row that row i was
// exchanged with, in order; parity (of x's dtype): -1 where that was an odd number of times, else 1. Singular matrices
// have a zero on the diagonal.
struct Lu {
  Array factors, pivots, parity;
};
Lu lu(const Array& x);

// `complete`: q is square; else q and r have the smaller extent in common.
struct Qr {
  Array q, r;
};
Qr qr(const Array& x, bool complete);

// Of Hermitian matrices, of which the lower triangle is read. Values ascend; vectors are columns.
struct Eigh {
  Array values, vectors;
};
Eigh eigh(const Array& x);
Array eigvalsh(const Array& x);

// x = u @ diag(s) @ vh; s descends. `full_matrices`: u and vh are square, else as in qr.
struct Svd {
  Array u, s, vh;
};
Svd svd(const Array& x, bool full_matrices);
Array svdvals(const Array& x);

}  // namespace crossdock
