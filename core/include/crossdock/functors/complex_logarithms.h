// Logarithms of complex numbers, with the special values of C's Annex G.
#pragma once

#include "crossdock/functors/complex_limits.h"

namespace crossdock::functors::elementary {

// log |x + iy|.
template <class T>
CROSSDOCK_HD T log_size(T x, T y) {
  using L = Limits<T>;
  x = fabs(x);
  y = fabs(y);
  const T larger = x > y ? x : y, smaller = x > y ? y : x;
  if (x != x || y != y) return is_infinite(x) || is_infinite(y) ? static_cast<T>(INFINITY) : x + y;
  if (larger > L::square_lowest && larger < L::square_highest) {
    const T square = larger * larger + smaller * smaller;
    // Near 1 the logarithm is much smaller than the rounding of the square.
    const bool near_one = square > static_cast<T>(0.5) && square < 2;
    return (near_one ? log1p(plus_squares(static_cast<T>(-1), larger, smaller)) : log(square)) / 2;
  }
  if (larger == 0 || is_infinite(larger)) return log(larger);
  const T ratio = smaller / larger;
  return log(larger) + log1p(ratio * ratio) / 2;
}

template <class T>
CROSSDOCK_HD Complex<T> log(Complex<T> a) {
  return {log_size(a.re, a.im), atan2(a.im, a.re)};
}

template <class T>
CROSSDOCK_HD Complex<T> log2(Complex<T> a) {
  const Complex<T> value = log(a);
  return {value.re * static_cast<T>(1.4426950408889634), value.im * static_cast<T>(1.4426950408889634)};
}

template <class T>
CROSSDOCK_HD Complex<T> log10(Complex<T> a) {
  const Complex<T> value = log(a);
  return {value.re * static_cast<T>(0.43429448190325182), value.im * static_cast<T>(0.43429448190325182)};
}

// |1 + a|^2 - 1 = 2x + x^2 + y^2, which is small where the logarithm is.
template <class T>
CROSSDOCK_HD Complex<T> log1p(Complex<T> a) {
  const Complex<T> sum{1 + a.re, a.im};
  const T square = sum.re * sum.re + sum.im * sum.im;
  if (!(square > static_cast<T>(0.5) && square < 2)) return log(sum);
  return {log1p(plus_squares(2 * a.re, a.re, a.im)) / 2, atan2(sum.im, sum.re)};
}

}  // namespace crossdock::functors::elementary
