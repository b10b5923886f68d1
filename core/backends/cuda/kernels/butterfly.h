// butterfly: discrete Fourier transforms of few numbers, in registers.
#pragma once

#include "crossdock/functors/complex.h"
#include "kernels/device.h"

namespace crossdock::cuda {

template <class T>
using Complex = functors::Complex<T>;

template <class T>
CROSSDOCK_HD Complex<T> times_minus_i(Complex<T> x) {
  return {x.im, -x.re};
}

template <class T>
CROSSDOCK_HD void butterfly(Complex<T> (&x)[2]) {
  const Complex<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <class T>
CROSSDOCK_HD void butterfly(Complex<T> (&x)[4]) {
  const Complex<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = times_minus_i(x[1] - x[3]);
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

template <class T>
CROSSDOCK_HD void butterfly(Complex<T> (&x)[8]) {
  constexpr T kHalf = static_cast<T>(0.70710678118654752440);  // the root of 1/2
  Complex<T> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
  butterfly(even);
  butterfly(odd);
  odd[1] = kHalf * (odd[1] + times_minus_i(odd[1]));
  odd[2] = times_minus_i(odd[2]);
  odd[3] = kHalf * (times_minus_i(odd[3]) - odd[3]);
  CROSSDOCK_UNROLL
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

// Cosines and sines of 2 pi k / n.
template <int n>
struct Angles;
template <>
struct Angles<3> {
  static constexpr double cosines[] = {1, -0.5}, sines[] = {0, 0.86602540378443864676};
};
template <>
struct Angles<5> {
  static constexpr double cosines[] = {1, 0.30901699437494742410, -0.80901699437494742410},
                          sines[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Angles<7> {
  static constexpr double cosines[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
                          sines[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

// Odd numbers: the sums and the differences of those that mirror each other.
template <class T, int n>
CROSSDOCK_HD void butterfly(Complex<T> (&x)[n]) {
  constexpr int kHalf = n / 2;
  Complex<T> sums[kHalf], differences[kHalf], all = x[0];
  CROSSDOCK_UNROLL
  for (int k = 1; k <= kHalf; ++k) {
    sums[k - 1] = x[k] + x[n - k];
    differences[k - 1] = x[k] - x[n - k];
    all = all + sums[k - 1];
  }
  CROSSDOCK_UNROLL
  for (int j = 1; j <= kHalf; ++j) {
    Complex<T> even = x[0], odd{};
    CROSSDOCK_UNROLL
    for (int k = 1; k <= kHalf; ++k) {
      const int turn = j * k % n, mirrored = turn > kHalf ? n - turn : turn;
      const T sine = static_cast<T>(Angles<n>::sines[mirrored]);
      even = even + static_cast<T>(Angles<n>::cosines[mirrored]) * sums[k - 1];
      odd = odd + (turn > kHalf ? -sine : sine) * differences[k - 1];
    }
    x[j] = even + times_minus_i(odd);
    x[n - j] = even - times_minus_i(odd);
  }
  x[0] = all;
}

}  // namespace crossdock::cuda
