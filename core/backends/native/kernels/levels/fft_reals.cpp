// Transforms of real numbers through complex ones of half the length, whose real parts are the even elements and whose
// imaginary parts the odd ones (J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm:
// programming considerations in the calculation of sine, cosine and Laplace transforms", 1970).
#include "fourier.h"

namespace crossdock::native {
namespace {

// Elements k and half - k, of which each is made of both.
template <class P>
struct Both {
  P low, high;
};

template <class P, class Q, class T>
CROSSDOCK_INLINE Both<P> untangled(Both<P> z, Q w, T half_scale) {
  const P b = conjugate(z.high), even = z.low + b, odd = times_minus_i(z.low - b) * w;
  const P low = even + odd, high = even - odd;
  return {{low.re * half_scale, low.im * half_scale}, {high.re * half_scale, high.im * -half_scale}};
}

template <class P, class Q>
CROSSDOCK_INLINE Both<P> tangled(Both<P> z, Q w) {
  const P b = conjugate(z.high), even = z.low + b, odd = (z.low - b) * conjugate(w);
  return {{even.re - odd.im, even.im + odd.re}, {even.re + odd.im, odd.re - even.im}};
}

// Calls step(both, twiddle) for all pairs but that of element 0; `from` and `to` may be the same.
template <class T, class Step>
CROSSDOCK_INLINE void for_pairs(const T* from, T* to, const T* twiddles, std::int64_t half, Step step) {
  constexpr int n = kVectorLanes<T>;
  std::int64_t k = 1;
  for (; k + n - 1 < half - k - n + 1; k += n) {
    const std::int64_t mirror = half - k - n + 1;
    const Pair<T> high = load_complex(from + 2 * mirror);
    const Both<Pair<T>> both{load_complex(from + 2 * k), {reversed<T>(high.re), reversed<T>(high.im)}};
    const Both<Pair<T>> done = step(both, load_complex(twiddles + 2 * k));
    store_complex(to + 2 * k, done.low);
    store_complex(to + 2 * mirror, {reversed<T>(done.high.re), reversed<T>(done.high.im)});
  }
  for (; k <= half - k; ++k) {
    const Both<Single<T>> both{load_single(from + 2 * k), load_single(from + 2 * (half - k))};
    const Both<Single<T>> done = step(both, load_single(twiddles + 2 * k));
    store_single(to + 2 * k, done.low);
    store_single(to + 2 * (half - k), done.high);
  }
}

template <class T>
void untangle(T* row, const T* twiddles, std::int64_t half, T scale) {
  const T re = row[0], im = row[1], half_scale = scale / 2;
  for_pairs(row, row, twiddles, half,
            [=](auto z, auto w) __attribute__((always_inline)) { return untangled(z, w, half_scale); });
  row[0] = (re + im) * scale;
  row[2 * half] = (re - im) * scale;
  row[1] = row[2 * half + 1] = 0;
}

template <class T>
void tangle(const T* row, T* out, const T* twiddles, std::int64_t half) {
  const T first = row[0], last = row[2 * half];
  for_pairs(row, out, twiddles, half, [](auto z, auto w) __attribute__((always_inline)) { return tangled(z, w); });
  out[0] = first + last;
  out[1] = first - last;
}

template <class T, class Step>
CROSSDOCK_INLINE void for_column_pairs(T* column, const T* twiddles, std::int64_t half, Step step) {
  constexpr int kLanes = kFourierLanes<T>;
  for (std::int64_t k = 1; k <= half - k; ++k) {
    for (int at = 0; at < kLanes; at += kVectorLanes<T>) {
      T *low = column + 2 * k * kLanes + at, *high = column + 2 * (half - k) * kLanes + at;
      const Both<Pair<T>> both{load_pair(low, kLanes), load_pair(high, kLanes)};
      const Both<Pair<T>> done = step(both, load_single(twiddles + 2 * k));
      store_pair(low, kLanes, done.low);
      store_pair(high, kLanes, done.high);
    }
  }
}

template <class T>
void untangle_column(T* column, const T* twiddles, std::int64_t half) {
  constexpr int kLanes = kFourierLanes<T>;
  for_column_pairs(column, twiddles, half,
                   [](auto z, auto w) __attribute__((always_inline)) { return untangled(z, w, static_cast<T>(0.5)); });
  T* last = column + 2 * half * kLanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const T re = column[lane], im = column[lane + kLanes];
    column[lane] = re + im;
    last[lane] = re - im;
    column[lane + kLanes] = last[lane + kLanes] = 0;
  }
}

template <class T>
void tangle_column(T* column, const T* twiddles, std::int64_t half) {
  constexpr int kLanes = kFourierLanes<T>;
  for_column_pairs(column, twiddles, half, [](auto z, auto w) __attribute__((always_inline)) { return tangled(z, w); });
  const T* last = column + 2 * half * kLanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const T re = column[lane];
    column[lane] = re + last[lane];
    column[lane + kLanes] = re - last[lane];
  }
}

template <class T>
void set(FourierLoops<T>& loops) {
  loops.untangle = &untangle<T>;
  loops.tangle = &tangle<T>;
  loops.untangle_column = &untangle_column<T>;
  loops.tangle_column = &tangle_column<T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_fft_reals(LoopTable& table) {
  set(table.fourier32);
  set(table.fourier64);
}

}  // namespace crossdock::native
