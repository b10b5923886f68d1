// Complex vectors in two registers, and the butterflies of Fourier transforms on them.
#pragma once

#include "../fourier_loops.h"
#include "shuffles.h"

namespace crossdock::native {
namespace {

template <class T>
struct Pair {
  using Real = Vector<T>;
  Vector<T> re, im;
};
// One complex number, for what vectors leave over.
template <class T>
struct Single {
  using Real = T;
  T re, im;
};

#define CROSSDOCK_INLINE [[gnu::always_inline]] inline

template <template <class> class P, class T>
CROSSDOCK_INLINE P<T> operator+(P<T> a, P<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <template <class> class P, class T>
CROSSDOCK_INLINE P<T> operator-(P<T> a, P<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <template <class> class P, template <class> class Q, class T>
CROSSDOCK_INLINE P<T> operator*(P<T> a, Q<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <template <class> class P, class T>
CROSSDOCK_INLINE P<T> times_minus_i(P<T> a) {
  return {a.im, -a.re};
}
template <template <class> class P, class T>
CROSSDOCK_INLINE P<T> conjugate(P<T> a) {
  return {a.re, -a.im};
}

template <class T>
CROSSDOCK_INLINE Vector<T> load_lanes(const T* p) {
  Vector<T> value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
template <class T>
CROSSDOCK_INLINE Pair<T> load_pair(const T* p, std::ptrdiff_t im) {
  return {load_lanes(p), load_lanes(p + im)};
}
template <class T>
CROSSDOCK_INLINE void store_pair(T* p, std::ptrdiff_t im, Pair<T> value) {
  __builtin_memcpy(p, &value.re, sizeof value.re);
  __builtin_memcpy(p + im, &value.im, sizeof value.im);
}
template <class T>
CROSSDOCK_INLINE Single<T> load_single(const T* p) {
  Single<T> value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
template <class T>
CROSSDOCK_INLINE void store_single(T* p, Single<T> value) {
  __builtin_memcpy(p, &value, sizeof value);
}

// Complex numbers one after the other.
template <class T>
CROSSDOCK_INLINE Pair<T> load_complex(const T* p) {
  const Vector<T> a = load_lanes(p), b = load_lanes(p + kVectorLanes<T>);
  return {evens<T>(a, b), odds<T>(a, b)};
}
template <class T>
CROSSDOCK_INLINE void store_complex(T* p, Pair<T> value) {
  const Vector<T> a = low_pairs<T>(value.re, value.im), b = high_pairs<T>(value.re, value.im);
  __builtin_memcpy(p, &a, sizeof a);
  __builtin_memcpy(p + kVectorLanes<T>, &b, sizeof b);
}

template <class T>
CROSSDOCK_INLINE void butterfly4(Pair<T>& z0, Pair<T>& z1, Pair<T>& z2, Pair<T>& z3) {
  const Pair<T> a = z0 + z2, b = z0 - z2, c = z1 + z3, d = times_minus_i(z1 - z3);
  z0 = a + c;
  z1 = b + d;
  z2 = a - c;
  z3 = b - d;
}

template <class T>
CROSSDOCK_INLINE void butterfly8(Pair<T>* z) {
  constexpr T half = static_cast<T>(0.70710678118654752440);
  butterfly4(z[0], z[2], z[4], z[6]);
  butterfly4(z[1], z[3], z[5], z[7]);
  const Pair<T> e[] = {z[0], z[2], z[4], z[6]};
  const Pair<T> o[] = {z[1],
                       {(z[3].re + z[3].im) * half, (z[3].im - z[3].re) * half},
                       times_minus_i(z[5]),
                       {(z[7].im - z[7].re) * half, (z[7].re + z[7].im) * -half}};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    z[k] = e[k] + o[k];
    z[k + 4] = e[k] - o[k];
  }
}

// For odd r: element k and r - k are sums over the sums and the differences of elements j and r - j.
template <int r, class T>
CROSSDOCK_INLINE void butterfly_odd(Pair<T>* z, const T* roots) {
  constexpr int h = r / 2;
  Pair<T> sums[h], differences[h], total = z[0];
#pragma GCC unroll 8
  for (int j = 0; j < h; ++j) {
    sums[j] = z[1 + j] + z[r - 1 - j];
    differences[j] = z[1 + j] - z[r - 1 - j];
    total = total + sums[j];
  }
#pragma GCC unroll 8
  for (int k = 1; k <= h; ++k) {
    Pair<T> a = z[0], b{};
#pragma GCC unroll 8
    for (int j = 1; j <= h; ++j) {
      const T cosine = roots[2 * (j * k % r)], sine = roots[2 * (j * k % r) + 1];
      a = {a.re + sums[j - 1].re * cosine, a.im + sums[j - 1].im * cosine};
      b = {b.re + differences[j - 1].re * sine, b.im + differences[j - 1].im * sine};
    }
    z[k] = {a.re + b.im, a.im - b.re};
    z[r - k] = {a.re - b.im, a.im + b.re};
  }
  z[0] = total;
}

template <int r, class T>
CROSSDOCK_INLINE void butterfly(Pair<T>* z, const T* roots) {
  if constexpr (r == 2) {
    const Pair<T> a = z[0], b = z[1];
    z[0] = a + b;
    z[1] = a - b;
  } else if constexpr (r == 4) {
    butterfly4(z[0], z[1], z[2], z[3]);
  } else if constexpr (r == 8) {
    butterfly8(z);
  } else {
    butterfly_odd<r>(z, roots);
  }
}

}  // namespace
}  // namespace crossdock::native
