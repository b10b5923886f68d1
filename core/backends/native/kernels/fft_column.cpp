#include "fft_column.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fft_roots.h"
#include "fft_workspace.h"

namespace crossdock::native {

namespace {

// Radices in the order of the steps; the last may be any prime.
std::vector<int> factor(std::int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  if (twos == 1) radices.push_back(2);
  if (twos % 3 == 1 && twos > 1) {
    radices = {4, 4};
    twos -= 4;
  } else if (twos % 3 == 2) {
    radices = {4};
    twos -= 2;
  }
  radices.insert(radices.begin(), static_cast<std::size_t>(std::max(0, twos / 3)), 8);
  for (std::int64_t prime = 3; n > 1; prime += 2) {
    if (prime * prime > n) prime = n;
    for (; n % prime == 0; n /= prime) {
      if (prime > std::numeric_limits<int>::max()) return {std::numeric_limits<int>::max()};
      radices.push_back(static_cast<int>(prime));
    }
  }
  return radices;
}

double step_cost(int radix) noexcept {
  switch (radix) {
    case 2:
      return 5;
    case 3:
      return 6.5;
    case 4:
      return 6;
    case 5:
      return 8;
    case 7:
      return 11;
    case 8:
      return 7.5;
    case 11:
      return 16;
    default:
      return 8 + 2 * radix;
  }
}

}  // namespace

template <class T>
double ColumnPlan<T>::cost(std::int64_t n) {
  constexpr double kCall = 20;
  double total = 0;
  for (const int radix : factor(n)) {
    if (radix > kMostRadix) return std::numeric_limits<double>::infinity();
    total += kCall + static_cast<double>(n) * step_cost(radix);
  }
  return total;
}

template <class T>
ColumnPlan<T>::ColumnPlan(std::int64_t n) : n_(n) {
  if (std::isinf(cost(n)))
    make_convolution();
  else
    make_steps(factor(n));
}

template <class T>
void ColumnPlan<T>::make_steps(const std::vector<int>& radices) {
  std::int64_t s = 1, rest = n_;
  for (const int radix : radices) {
    Step step{radix, s, rest / radix, {}, {}};
    const UnitRoots powers(rest), roots(radix);
    for (std::int64_t p = 1; p < step.m; ++p) {
      for (int k = 1; k < radix; ++k) {
        const auto root = powers(p * k);
        step.twiddles.push_back(static_cast<T>(root.real()));
        step.twiddles.push_back(static_cast<T>(root.imag()));
      }
    }
    for (int j = 0; j < radix; ++j) {
      step.roots.push_back(static_cast<T>(roots(j).real()));
      step.roots.push_back(static_cast<T>(-roots(j).imag()));
    }
    steps_.push_back(std::move(step));
    s *= radix;
    rest /= radix;
  }
}

template <class T>
void ColumnPlan<T>::make_convolution() {
  const Bluestein bluestein(n_);
  convolution_ = std::make_unique<ColumnPlan>(Bluestein::length(n_));
  chirp_.assign(bluestein.chirp.begin(), bluestein.chirp.end());
  spectrum_.assign(bluestein.spectrum.begin(), bluestein.spectrum.end());
}

template <class T>
T* ColumnPlan<T>::run(T* x, T* y, std::ptrdiff_t im) const {
  if (convolution_) return convolve(x, y, im);
  const auto pass = fourier_loops<T>().pass;
  for (const Step& step : steps_) {
    pass(step.radix, x, y, im, step.s, step.m, step.twiddles.data(), step.roots.data());
    std::swap(x, y);
  }
  return x;
}

template <class T>
T* ColumnPlan<T>::convolve(T* x, T* y, std::ptrdiff_t im) const {
  const FourierLoops<T>& loops = fourier_loops<T>();
  const std::int64_t size = convolution_->n_, element = 2 * kLanes;
  T* const begin = im > 0 ? x : x + im;
  loops.rotate(x, im, chirp_.data(), n_);
  std::fill(begin + n_ * element, begin + size * element, T{0});
  T* at = convolution_->run(x, y, im);
  loops.rotate(at, im, spectrum_.data(), size);
  T* const other = at == x ? y : x;
  at = convolution_->run(at + im, other + im, -im) - im;
  loops.rotate(at, im, chirp_.data(), n_);
  return at;
}

template <class T>
std::int64_t ColumnPlan<T>::nbytes() const noexcept {
  std::size_t count = chirp_.size() + spectrum_.size();
  for (const Step& step : steps_) count += step.twiddles.size() + step.roots.size();
  return static_cast<std::int64_t>(count * sizeof(T)) + (convolution_ ? convolution_->nbytes() : 0);
}

template class ColumnPlan<float>;
template class ColumnPlan<double>;

}  // namespace crossdock::native
