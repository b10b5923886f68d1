// sinh, cosh, tanh, sin, cos and tan of complex numbers, with the special values of C's Annex G (tanh: of the array API
// standard). cosh x is had from sinh x, so that each takes three functions of real numbers.
#pragma once

#include "crossdock/functors/complex_exponentials.h"

namespace crossdock::functors::elementary {

// cosh and sinh of x, both divided by `scale` squared where they would overflow.
template <class T>
struct Hyperbola {
  T cosine, sine, scale;
};
template <class T>
CROSSDOCK_HD Hyperbola<T> hyperbola(T x) {
  if (!(fabs(x) < Limits<T>::exp_highest)) {
    const T root = exp(fabs(x) / 2);
    return {root / 2, copysign(root / 2, x), root};
  }
  const T sine = sinh(x);
  const bool large = fabs(sine) > 1 / Limits<T>::epsilon;  // then they are the same
  return {large ? fabs(sine) : sqrt(1 + sine * sine), sine, 1};
}

// sinh x cos y + i cosh x sin y.
template <class T>
CROSSDOCK_HD Complex<T> sinh(Complex<T> a) {
  if (a.im == 0) return {sinh(a.re), a.im};
  if (!is_finite(a.im)) {
    const T nan = static_cast<T>(NAN);
    return {a.re == 0 ? a.re : is_infinite(a.re) ? fabs(a.re) : nan, nan};
  }
  const Hyperbola<T> real = hyperbola(a.re);
  return {real.sine * cos(a.im) * real.scale, real.cosine * sin(a.im) * real.scale};
}

// cosh x cos y + i sinh x sin y.
template <class T>
CROSSDOCK_HD Complex<T> cosh(Complex<T> a) {
  if (a.im == 0) return {cosh(a.re), a.re != a.re ? a.im : copysign(T{1}, a.re) * a.im};
  if (!is_finite(a.im)) {
    const T nan = static_cast<T>(NAN);
    if (a.re == 0) return {nan, 0};
    return {is_infinite(a.re) ? fabs(a.re) : nan, nan};
  }
  const Hyperbola<T> real = hyperbola(a.re);
  return {real.cosine * cos(a.im) * real.scale, real.sine * sin(a.im) * real.scale};
}

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). At an infinity Annex G takes the sign of sin(2y) for the
// zero, the array API standard that of y.
template <class T>
CROSSDOCK_HD Complex<T> tanh(Complex<T> a) {
  if (is_infinite(a.re)) return {copysign(T{1}, a.re), copysign(T{0}, a.im)};
  if (a.im == 0) return {tanh(a.re), a.im};
  if (!is_finite(a.im)) return {a.re == 0 ? a.re : static_cast<T>(NAN), static_cast<T>(NAN)};
  const T cosine = cos(a.im), sine = sin(a.im);
  if (fabs(a.re) > Limits<T>::tanh_one) {
    const T root = exp(-fabs(a.re));
    return {copysign(T{1}, a.re), 4 * sine * cosine * root * root};
  }
  const T real = sinh(a.re), size = real * real + cosine * cosine;
  return {real * sqrt(1 + real * real) / size, sine * cosine / size};
}

// sin x cosh y + i cos x sinh y.
template <class T>
CROSSDOCK_HD Complex<T> sin(Complex<T> a) {
  if (a.re == 0) return {a.re, sinh(a.im)};
  if (!is_finite(a.re)) {
    const T nan = static_cast<T>(NAN);
    return {nan, a.im == 0 ? a.im : is_infinite(a.im) ? fabs(a.im) : nan};
  }
  const Hyperbola<T> imaginary = hyperbola(a.im);
  return {sin(a.re) * imaginary.cosine * imaginary.scale, cos(a.re) * imaginary.sine * imaginary.scale};
}

// cosh(i a).
template <class T>
CROSSDOCK_HD Complex<T> cos(Complex<T> a) {
  return cosh(turn_left(a));
}

// -i tanh(i a), but at an infinity with the sign of Annex G.
template <class T>
CROSSDOCK_HD Complex<T> tan(Complex<T> a) {
  if (is_infinite(a.im)) {
    const T sign = is_finite(a.re) ? sin(a.re) * cos(a.re) : a.re;
    return {copysign(T{0}, sign), copysign(T{1}, a.im)};
  }
  return turn_right(tanh(turn_left(a)));
}

}  // namespace crossdock::functors::elementary
