// ColumnPlan: how columns of one length are transformed (fourier_loops.h says what a column is).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fourier_loops.h"

namespace crossdock::native {

template <class T>
class ColumnPlan {
 public:
  static constexpr int kLanes = kFourierLanes<T>;
  static constexpr int kMostRadix = 61;  // larger prime factors go through a convolution

  explicit ColumnPlan(std::int64_t n);
  // Vector operations that a transform takes, by estimate; infinite where it needs a convolution.
  static double cost(std::int64_t n);

  std::int64_t length() const noexcept { return n_; }
  std::int64_t room() const noexcept { return convolution_ ? convolution_->room() : n_; }  // elements of both columns
  // Transforms column x; where the result is, x or y. The other is overwritten too.
  T* run(T* x, T* y, std::ptrdiff_t im) const;
  std::int64_t nbytes() const noexcept;

 private:
  struct Step {
    int radix;
    std::int64_t s, m;
    std::vector<T> twiddles, roots;
  };
  void make_steps(const std::vector<int>& radices);
  void make_convolution();
  T* convolve(T* x, T* y, std::ptrdiff_t im) const;

  std::int64_t n_;
  std::vector<Step> steps_;
  std::unique_ptr<ColumnPlan> convolution_;
  std::vector<T> chirp_, spectrum_;
};

// What turns a transform of length n into a convolution of a length that has small factors: L. I. Bluestein, "A linear
// filtering approach to the computation of discrete Fourier transform", 1970.
struct Bluestein {
  explicit Bluestein(std::int64_t n);
  static std::int64_t length(std::int64_t n) noexcept;  // of the convolution
  std::vector<double> chirp;                            // n complex numbers
  std::vector<double> spectrum;                         // of the convolution's other side, divided by its length
};

}  // namespace crossdock::native
