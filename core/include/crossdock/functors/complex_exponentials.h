// Square roots, exponentials and powers of complex numbers, with the special values of C's Annex G.
#pragma once

#include "crossdock/functors/complex_logarithms.h"

namespace crossdock::functors::elementary {

// e^x (cos y + i sin y); where e^x is no normal number the product may still be one, so that its root is taken twice.
template <class T>
CROSSDOCK_HD Complex<T> exp(Complex<T> a) {
  using L = Limits<T>;
  if (a.im == 0) return {exp(a.re), a.im};
  if (!is_finite(a.im)) {
    if (is_infinite(a.re)) return a.re < 0 ? Complex<T>{0, copysign(T{0}, a.im)} : Complex<T>{a.re, a.im - a.im};
    return {static_cast<T>(NAN), static_cast<T>(NAN)};
  }
  const T cosine = cos(a.im), sine = sin(a.im);
  if (a.re > L::exp_lowest && a.re < L::exp_highest) {
    const T size = exp(a.re);
    return {size * cosine, size * sine};
  }
  const T root = exp(a.re / 2);
  return {root * cosine * root, root * sine * root};
}

// e^x cos y - 1 = expm1(x) cos y - 2 sin(y / 2)^2 does not cancel near 0.
template <class T>
CROSSDOCK_HD Complex<T> expm1(Complex<T> a) {
  if (a.im == 0) return {a.re == 0 ? T{0} : expm1(a.re), a.im};  // the standard has +0 for -0 too
  if (!is_finite(a.im) || !(fabs(a.re) < Limits<T>::exp_highest)) return exp(a) - Complex<T>{1, 0};
  const T half = sin(a.im / 2);
  return {expm1(a.re) * cos(a.im) - 2 * half * half, exp(a).im};
}

// With t = sqrt((|x| + |a|) / 2): t + i y / 2t, or |y| / 2t +- i t where x < 0.
template <class T>
CROSSDOCK_HD Complex<T> sqrt(Complex<T> a) {
  using L = Limits<T>;
  if (is_infinite(a.im)) return {fabs(a.im), a.im};
  if (is_infinite(a.re)) {
    const T rest = a.im != a.im ? a.im : T{0};
    if (a.re > 0) return {a.re, copysign(rest, a.im)};
    return {rest, copysign(static_cast<T>(INFINITY), a.im)};
  }
  if (a.re == 0 && a.im == 0) return {0, a.im};
  if (a.re != a.re || a.im != a.im) return {static_cast<T>(NAN), static_cast<T>(NAN)};
  T x = fabs(a.re), y = fabs(a.im), back = 1;
  const T larger = x > y ? x : y;
  T size;
  if (larger > L::square_lowest && larger < L::square_highest) {
    size = sqrt(x * x + y * y);
  } else if (larger >= L::square_highest) {  // powers of 4, whose roots are exact
    x /= 4;
    y /= 4;
    back = 2;
    size = hypot(x, y);
  } else {
    constexpr T lift = 1 / L::epsilon / L::epsilon;
    x *= lift;
    y *= lift;
    back = L::epsilon;
    size = hypot(x, y);
  }
  const T root = sqrt((x + size) / 2), other = y / (2 * root) * back, most = root * back;
  return a.re < 0 ? Complex<T>{other, copysign(most, a.im)} : Complex<T>{most, copysign(other, a.im)};
}

// By squaring: exact where products are. n >= 1.
template <class T>
CROSSDOCK_HD Complex<T> power(Complex<T> base, int n) {
  while ((n & 1) == 0) {
    base = base * base;
    n >>= 1;
  }
  Complex<T> result = base;
  while (n >>= 1) {
    base = base * base;
    if (n & 1) result = result * base;
  }
  return result;
}

// e^(b log a); small whole exponents by products, unless those overflow.
template <class T>
CROSSDOCK_HD Complex<T> pow(Complex<T> a, Complex<T> b) {
  constexpr int kMost = 64;
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0 && b.re > 0 && b.im == 0) return {0, 0};
  if (b.im == 0 && fabs(b.re) <= kMost && trunc(b.re) == b.re) {
    const Complex<T> result = power(b.re < 0 ? Complex<T>{1, 0} / a : a, static_cast<int>(fabs(b.re)));
    if (is_finite(result.re) && is_finite(result.im)) return result;
  }
  return exp(b * log(a));
}

}  // namespace crossdock::functors::elementary
