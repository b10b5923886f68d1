// Lapack: the factorizations of a LAPACK library opened at run time (scipy-openblas, 32-bit sizes).
#pragma once

#include <cstdint>

#include "crossdock/runtime/dtype.h"
#include "crossdock/runtime/dynamic_library.h"

namespace crossdock::native {

// All for float32, float64, complex64 and complex128, on this thread, on column-major matrices with no gaps between
// their columns. Each returns LAPACK's `info`: 0, or above 0 what went wrong; an argument that LAPACK refuses throws.
class Lapack {
 public:
  // What the library of Blas has; NotImplementedError saying what to install when there is none.
  static const Lapack& get();
  // False when the library lacks a function.
  bool load(const DynamicLibrary& library) noexcept;

  // In place: one triangle ('L' or 'U') becomes the factor, the other stays.
  int potrf(Dtype dtype, char triangle, int n, void* a) const;
  // In place: the unit lower and the upper factor; pivots are row numbers from 1 on.
  int getrf(Dtype dtype, int rows, int columns, void* a, int* pivots) const;
  // b becomes the solution, from what getrf left.
  int getrs(Dtype dtype, int n, int columns, const void* lu, const int* pivots, void* b) const;

  // These need room besides: `work` of `nwork` elements (-1: only writes to work[0] how many serve best).
  int geqrf(Dtype dtype, int rows, int columns, void* a, void* tau, void* work, int nwork) const;
  int orgqr(Dtype dtype, int rows, int columns, int reflectors, void* a, const void* tau, void* work, int nwork) const;

  struct Room {
    void* work;
    int nwork;
    void* real_work;  // complex dtypes only
    int nreal_work;
    int* integer_work;
    int ninteger_work;
  };
  // `job`: 'V' (vectors replace a) or 'N'. Reads the lower triangle. Values ascend.
  int syevd(Dtype dtype, char job, int n, void* a, void* values, const Room& room) const;
  // `job`: 'A' (u and vh are square), 'S' (they have the smaller extent) or 'N' (neither is written). Destroys a.
  int gesdd(Dtype dtype, char job, int rows, int columns, void* a, void* values, void* u, void* vh,
            const Room& room) const;

 private:
  struct Functions {
    void *potrf, *getrf, *getrs, *geqrf, *orgqr, *syevd, *gesdd;
  };
  const Functions& of(Dtype dtype) const noexcept;

  Functions functions_[4]{};
};

}  // namespace crossdock::native
