// RowPlan: how one row of complex numbers, one after the other, is transformed.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft_column.h"

namespace crossdock::native {

template <class T>
class RowPlan {
 public:
  static constexpr int kLanes = kFourierLanes<T>;

  explicit RowPlan(std::int64_t n);
  std::int64_t length() const noexcept { return n_; }
  // Transforms `in`, multiplied by `scale`, to `out`, which may be `in`. On several threads if it is long, unless it
  // runs on one of several.
  void run(const T* in, T* out, bool inverse, T scale) const;
  std::int64_t nbytes() const noexcept;

 private:
  static double cost(std::int64_t n);
  void make_twiddles();
  void run_column(const T* in, T* out, bool inverse, T scale) const;
  void run_square(const T* in, T* out, bool inverse, T scale) const;
  void first_half(const T* in, T* middle, bool inverse, std::int64_t begin, std::int64_t end) const;
  void second_half(T* middle, T* out, bool inverse, T scale, std::int64_t begin, std::int64_t end) const;
  const T* twiddles_of(std::int64_t block, T* buffer, T* factors) const;
  void run_convolution(const T* in, T* out, bool inverse, T scale) const;

  std::int64_t n_;
  // As a matrix of `first` rows and `second` columns: transforms of its columns, products with twiddles, transforms of
  // its rows (W. M. Gentleman and G. Sande, "Fast Fourier transforms: for fun and profit", 1966; D. H. Bailey, "FFTs in
  // external or hierarchical memory", 1990). Only `first`: as one column.
  std::shared_ptr<const ColumnPlan<T>> first_, second_;
  std::int64_t blocks_ = 0, groups_ = 0;  // of lanes in `second` columns and in `first` rows
  std::vector<T> twiddles_;               // of each block; for long rows those of its first lane: w^(row * lane)
  std::vector<std::complex<double>> coarse_, fine_;
  int shift_ = 0;
  // Else as a convolution.
  std::shared_ptr<const RowPlan> convolution_;
  std::vector<T> chirp_, conjugate_chirp_, spectrum_;
};

}  // namespace crossdock::native
