// Steps of Fourier transforms: Stockham's self-sorting form of the algorithm of Cooley and Tukey, with decimation in
// frequency (T. G. Stockham, "High-speed convolution and correlation", 1966; C. Van Loan, "Computational Frameworks for
// the Fast Fourier Transform", 1992, section 1.7).
#include "fourier.h"

namespace crossdock::native {
namespace {

template <int r, bool twiddled, class T>
CROSSDOCK_INLINE void group(const T* x, T* y, std::ptrdiff_t im, std::int64_t size, std::int64_t jump,
                            const T* twiddles, const T* roots) {
  for (std::int64_t i = 0; i < size; i += 2 * kFourierLanes<T>) {
#pragma GCC unroll 1
    for (std::int64_t at = i; at < i + kFourierLanes<T>; at += kVectorLanes<T>) {
      Pair<T> z[r];
#pragma GCC unroll 16
      for (int j = 0; j < r; ++j) z[j] = load_pair(x + at + j * jump, im);
      butterfly<r>(z, roots);
      store_pair(y + at, im, z[0]);
#pragma GCC unroll 16
      for (int k = 1; k < r; ++k) {
        if constexpr (twiddled) z[k] = z[k] * Single<T>{twiddles[2 * k - 2], twiddles[2 * k - 1]};
        store_pair(y + at + k * size, im, z[k]);
      }
    }
  }
}

template <int r, class T>
void pass(const T* x, T* y, std::ptrdiff_t im, std::int64_t s, std::int64_t m, const T* twiddles, const T* roots) {
  const std::int64_t size = s * 2 * kFourierLanes<T>, jump = size * m;
  group<r, false>(x, y, im, size, jump, twiddles, roots);
  for (std::int64_t p = 1; p < m; ++p, twiddles += 2 * (r - 1)) {
    group<r, true>(x + p * size, y + p * r * size, im, size, jump, twiddles, roots);
  }
}

// Any odd radix.
template <class T>
void pass_odd(int r, const T* x, T* y, std::ptrdiff_t im, std::int64_t s, std::int64_t m, const T* twiddles,
              const T* roots) {
  constexpr int kMost = 64;
  const std::int64_t size = s * 2 * kFourierLanes<T>, jump = size * m;
  const int h = r / 2;
  Pair<T> sums[kMost / 2], differences[kMost / 2];
  for (std::int64_t p = 0; p < m; ++p, x += size, y += r * size) {
    const T* w = p == 0 ? nullptr : twiddles + (p - 1) * 2 * (r - 1);
    const auto put = [&](std::int64_t at, int k, Pair<T> value) __attribute__((always_inline)) {
      if (w) value = value * Single<T>{w[2 * k - 2], w[2 * k - 1]};
      store_pair(y + at + k * size, im, value);
    };
    for (std::int64_t i = 0; i < size / 2; i += kVectorLanes<T>) {
      const std::int64_t at = i / kFourierLanes<T> * kFourierLanes<T> + i;
      const Pair<T> first = load_pair(x + at, im);
      Pair<T> total = first;
      for (int j = 0; j < h; ++j) {
        const Pair<T> a = load_pair(x + at + (1 + j) * jump, im), b = load_pair(x + at + (r - 1 - j) * jump, im);
        sums[j] = a + b;
        differences[j] = a - b;
        total = total + sums[j];
      }
      store_pair(y + at, im, total);
      for (int k = 1; k <= h; ++k) {
        Pair<T> a = first, b{};
        for (int j = 0, angle = k; j < h; ++j, angle = angle + k < r ? angle + k : angle + k - r) {
          const T cosine = roots[2 * angle], sine = roots[2 * angle + 1];
          a = {a.re + sums[j].re * cosine, a.im + sums[j].im * cosine};
          b = {b.re + differences[j].re * sine, b.im + differences[j].im * sine};
        }
        put(at, k, {a.re + b.im, a.im - b.re});
        put(at, r - k, {a.re - b.im, a.im + b.re});
      }
    }
  }
}

template <class T>
void pass_any(int radix, const T* x, T* y, std::ptrdiff_t im, std::int64_t s, std::int64_t m, const T* twiddles,
              const T* roots) {
  switch (radix) {
    case 2:
      return pass<2>(x, y, im, s, m, twiddles, roots);
    case 3:
      return pass<3>(x, y, im, s, m, twiddles, roots);
    case 4:
      return pass<4>(x, y, im, s, m, twiddles, roots);
    case 5:
      return pass<5>(x, y, im, s, m, twiddles, roots);
    case 7:
      return pass<7>(x, y, im, s, m, twiddles, roots);
    case 8:
      return pass<8>(x, y, im, s, m, twiddles, roots);
    case 11:
      return pass<11>(x, y, im, s, m, twiddles, roots);
    default:
      return pass_odd(radix, x, y, im, s, m, twiddles, roots);
  }
}

}  // namespace

void CROSSDOCK_LEVEL::register_fft_passes(LoopTable& table) {
  table.fourier32.pass = &pass_any<float>;
  table.fourier64.pass = &pass_any<double>;
}

}  // namespace crossdock::native
