// Blas: the functions of a BLAS library opened at run time (scipy-openblas, 32-bit sizes).
#pragma once

#include <optional>
#include <string>

#include "lapack.h"
#include "matrix.h"

namespace crossdock::native {

class Blas {
 public:
  // The library at the path of set_blas_path, opened on the first call; null when there is none.
  static const Blas* get();

  // Whether `matrix` can be an operand as it lies, or transposed, and its sizes fit.
  static bool takes(const Matrix& matrix, std::int64_t itemsize) noexcept;
  // The caller of these two has a BlasTurn.
  // c = a @ b on this thread, for float32, float64, complex64 and complex128; all taken, nothing empty.
  void multiply(Dtype dtype, const Product& product) const;
  // Sum of a[i] * b[i], for the same dtypes; `size` elements, one after the other.
  void dot(Dtype dtype, int size, const void* a, const void* b, void* out) const;
  // What the same library has of LAPACK; null when that is not all we use.
  const Lapack* lapack() const noexcept { return lapack_ ? &*lapack_ : nullptr; }

 private:
  struct Functions {
    void *gemm[4], *gemv[4], *dot[4];
  };
  static const Blas* open(const std::string& path);
  void call_gemm(Dtype dtype, const Product& product) const;
  void call_gemv(Dtype dtype, const Matrix& matrix, const Matrix& x, const Matrix& y) const;

  Functions functions_{};
  std::optional<Lapack> lapack_;
};

}  // namespace crossdock::native
