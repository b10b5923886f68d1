#include "fft_row.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "crossdock/runtime/thread_pool.h"
#include "fft_cache.h"
#include "fft_roots.h"
#include "fft_workspace.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kMostTwiddles = 1 << 16;  // of longer rows they are made as they are needed

std::int64_t round_up(std::int64_t n, std::int64_t unit) noexcept { return (n + unit - 1) / unit; }

// Columns that leave the cache take longer.
template <class T>
double column_cost(std::int64_t n) {
  const double cost = ColumnPlan<T>::cost(n);
  return n > 4096 ? 1.5 * cost : cost;
}

template <class T>
double square_cost(std::int64_t first, std::int64_t second) {
  constexpr int kLanes = kFourierLanes<T>;
  constexpr double kSplit = 5, kTurn = 14, kJoin = 6, kCalls = 60;
  return static_cast<double>(round_up(second, kLanes)) *
             (column_cost<T>(first) + static_cast<double>(first) * (kSplit + kTurn) + kCalls) +
         static_cast<double>(round_up(first, kLanes)) *
             (column_cost<T>(second) + static_cast<double>(second) * kJoin + kCalls);
}

struct Shape {
  std::int64_t first, second;  // second 1: one column
  double cost;
};

template <class T>
Shape best_shape(std::int64_t n) {
  Shape best{n, 1,
             n > 4096 ? std::numeric_limits<double>::infinity() : column_cost<T>(n) + 12 * static_cast<double>(n)};
  for (std::int64_t a = 2; a * a <= n; ++a) {
    if (n % a != 0) continue;
    for (const std::int64_t first : {a, n / a}) {
      const double cost = square_cost<T>(first, n / first);
      if (cost < best.cost) best = {first, n / first, cost};
    }
  }
  return best;
}

}  // namespace

template <class T>
double RowPlan<T>::cost(std::int64_t n) {
  return best_shape<T>(n).cost;
}

template <class T>
RowPlan<T>::RowPlan(std::int64_t n) : n_(n) {
  const Shape shape = best_shape<T>(n);
  const std::int64_t longer = Bluestein::length(n);
  if (n > 16 && 2 * cost(longer) + 24 * static_cast<double>(longer) / kLanes < shape.cost) {
    const Bluestein bluestein(n);
    convolution_ = cached_plan<RowPlan>(longer);
    chirp_.assign(bluestein.chirp.begin(), bluestein.chirp.end());
    spectrum_.assign(bluestein.spectrum.begin(), bluestein.spectrum.end());
    conjugate_chirp_ = chirp_;
    for (std::size_t i = 1; i < conjugate_chirp_.size(); i += 2) conjugate_chirp_[i] = -conjugate_chirp_[i];
    return;
  }
  first_ = cached_plan<ColumnPlan<T>>(shape.first);
  if (shape.second == 1) return;
  second_ = cached_plan<ColumnPlan<T>>(shape.second);
  blocks_ = round_up(shape.second, kLanes);
  groups_ = round_up(shape.first, kLanes);
  make_twiddles();
}

template <class T>
void RowPlan<T>::make_twiddles() {
  const UnitRoots roots(n_);
  const bool all = n_ <= kMostTwiddles;
  const std::int64_t rows = groups_ * kLanes, blocks = all ? blocks_ : 1;
  twiddles_.assign(static_cast<std::size_t>(blocks * rows * 2 * kLanes), T{0});
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t row = 0; row < first_->length(); ++row) {
      T* element = twiddles_.data() + (block * rows + row) * 2 * kLanes;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const auto root = roots(row * (block * kLanes + lane) % n_);
        element[lane] = static_cast<T>(root.real());
        element[lane + kLanes] = static_cast<T>(root.imag());
      }
    }
  }
  if (all) return;
  while ((std::int64_t{1} << (2 * shift_)) < n_) ++shift_;
  const std::int64_t low = std::int64_t{1} << shift_;
  for (std::int64_t k = 0; k < low; ++k) fine_.push_back(roots(k));
  for (std::int64_t k = 0; k < n_; k += low) coarse_.push_back(roots(k));
}

template <class T>
const T* RowPlan<T>::twiddles_of(std::int64_t block, T* buffer, T* factors) const {
  const std::int64_t rows = groups_ * kLanes, count = rows * 2 * kLanes;
  if (coarse_.empty()) return twiddles_.data() + block * count;
  const std::int64_t step = block * kLanes, mask = (std::int64_t{1} << shift_) - 1;
  std::int64_t k = 0;
  for (std::int64_t row = 0; row < first_->length(); ++row, k = k + step < n_ ? k + step : k + step - n_) {
    const auto a = coarse_[static_cast<std::size_t>(k >> shift_)], b = fine_[static_cast<std::size_t>(k & mask)];
    factors[2 * row] = static_cast<T>(a.real() * b.real() - a.imag() * b.imag());
    factors[2 * row + 1] = static_cast<T>(a.real() * b.imag() + a.imag() * b.real());
  }
  std::memcpy(buffer, twiddles_.data(), static_cast<std::size_t>(count) * sizeof(T));
  fourier_loops<T>().rotate(buffer, kLanes, factors, first_->length());
  return buffer;
}

template <class T>
void RowPlan<T>::run(const T* in, T* out, bool inverse, T scale) const {
  if (convolution_) return run_convolution(in, out, inverse, scale);
  return second_ ? run_square(in, out, inverse, scale) : run_column(in, out, inverse, scale);
}

template <class T>
void RowPlan<T>::run_column(const T* in, T* out, bool inverse, T scale) const {
  const FourierLoops<T>& loops = fourier_loops<T>();
  const std::int64_t size = first_->room() * 2 * kLanes, exchange = inverse ? kLanes : 0;
  const FourierBuffer<T> buffer(2 * size);
  T *x = buffer.data(), *y = x + size;
  loops.split(reinterpret_cast<const std::byte*>(in), 2 * sizeof(T), x, n_, 1);
  x = first_->run(x + exchange, y + exchange, inverse ? -kLanes : kLanes) - exchange;
  loops.join(x, reinterpret_cast<std::byte*>(out), 2 * sizeof(T), n_, 1, scale);
}

template <class T>
void RowPlan<T>::run_square(const T* in, T* out, bool inverse, T scale) const {
  const FourierBuffer<T> middle(groups_ * blocks_ * kLanes * 2 * kLanes);
  const std::int64_t grain = n_ <= 32 * 1024 ? std::numeric_limits<std::int64_t>::max() / 2 : 1;
  parallel_for(blocks_, grain,
               [&](std::int64_t begin, std::int64_t end) { first_half(in, middle.data(), inverse, begin, end); });
  parallel_for(groups_, grain, [&](std::int64_t begin, std::int64_t end) {
    second_half(middle.data(), out, inverse, scale, begin, end);
  });
}

template <class T>
void RowPlan<T>::first_half(const T* in, T* middle, bool inverse, std::int64_t begin, std::int64_t end) const {
  const FourierLoops<T>& loops = fourier_loops<T>();
  constexpr std::int64_t kElement = 2 * kLanes;
  const std::int64_t rows = groups_ * kLanes, size = rows * kElement, exchange = inverse ? kLanes : 0;
  const std::int64_t length = first_->length(), columns = second_->length();
  const std::ptrdiff_t im = inverse ? -kLanes : kLanes;
  const FourierBuffer<T> buffer(3 * size + 2 * rows);
  T *const x = buffer.data(), *const y = x + size, *const twiddles = y + size;
  for (T* column : {x, y}) std::fill(column + length * kElement, column + size, T{0});
  for (std::int64_t block = begin; block < end; ++block) {
    const std::int64_t column = block * kLanes;
    loops.split(reinterpret_cast<const std::byte*>(in + 2 * column), columns * 2 * sizeof(T), x, length,
                static_cast<int>(std::min<std::int64_t>(kLanes, columns - column)));
    const T* done = first_->run(x + exchange, y + exchange, im);
    loops.turn(done, twiddles_of(block, twiddles, twiddles + size), im, middle + column * kElement + exchange,
               blocks_ * kLanes * kElement, groups_);
  }
}

template <class T>
void RowPlan<T>::second_half(T* middle, T* out, bool inverse, T scale, std::int64_t begin, std::int64_t end) const {
  const FourierLoops<T>& loops = fourier_loops<T>();
  const std::int64_t size = blocks_ * kLanes * 2 * kLanes, exchange = inverse ? kLanes : 0;
  const std::int64_t rows = first_->length();
  const FourierBuffer<T> y(size);
  for (std::int64_t group = begin; group < end; ++group) {
    const std::int64_t row = group * kLanes;
    T* x = middle + group * size + exchange;
    x = second_->run(x, y.data() + exchange, inverse ? -kLanes : kLanes) - exchange;
    loops.join(x, reinterpret_cast<std::byte*>(out + 2 * row), rows * 2 * sizeof(T), second_->length(),
               static_cast<int>(std::min<std::int64_t>(kLanes, rows - row)), scale);
  }
}

// The inverse is the conjugate of the transform of conjugates.
template <class T>
void RowPlan<T>::run_convolution(const T* in, T* out, bool inverse, T scale) const {
  const FourierLoops<T>& loops = fourier_loops<T>();
  const std::int64_t size = convolution_->n_;
  const FourierBuffer<T> buffer(4 * size);
  T *const x = buffer.data(), *const y = x + 2 * size;
  loops.multiply(in, inverse ? conjugate_chirp_.data() : chirp_.data(), x, n_, inverse);
  std::fill(x + 2 * n_, x + 2 * size, T{0});
  convolution_->run(x, y, false, scale);
  loops.multiply(y, spectrum_.data(), y, size, true);
  convolution_->run(y, x, false, T{1});
  loops.multiply(x, conjugate_chirp_.data(), out, n_, !inverse);
}

template <class T>
std::int64_t RowPlan<T>::nbytes() const noexcept {
  const std::size_t count = twiddles_.size() + chirp_.size() + conjugate_chirp_.size() + spectrum_.size();
  return static_cast<std::int64_t>(count * sizeof(T)) + (convolution_ ? convolution_->nbytes() : 0);
}

template class RowPlan<float>;
template class RowPlan<double>;

Bluestein::Bluestein(std::int64_t n) {
  const std::int64_t size = length(n);
  const UnitRoots roots(2 * n);
  chirp.resize(static_cast<std::size_t>(2 * n));
  std::vector<double> other(static_cast<std::size_t>(2 * size));
  std::int64_t square = 0;  // j * j modulo 2 n
  for (std::int64_t j = 0; j < n; ++j) {
    const auto root = roots(square);
    chirp[static_cast<std::size_t>(2 * j)] = root.real();
    chirp[static_cast<std::size_t>(2 * j + 1)] = root.imag();
    for (const std::int64_t place : {j, j == 0 ? 0 : size - j}) {
      other[static_cast<std::size_t>(2 * place)] = root.real() / static_cast<double>(size);
      other[static_cast<std::size_t>(2 * place + 1)] = -root.imag() / static_cast<double>(size);
    }
    square = (square + 2 * j + 1) % (2 * n);
  }
  spectrum.resize(other.size());
  cached_plan<RowPlan<double>>(size)->run(other.data(), spectrum.data(), false, 1);
}

// The least one, of those that transforms are quick for.
std::int64_t Bluestein::length(std::int64_t n) noexcept {
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 9, 15}) {
    std::int64_t size = 64 * odd;
    while (size < 2 * n - 1) size *= 2;
    if (best == 0 || size < best) best = size;
  }
  return best;
}

}  // namespace crossdock::native
