// Elementary functions of complex numbers, with the special values of C's Annex G.
#pragma once

#include "crossdock/functors/complex.h"
#include "crossdock/functors/elementary.h"

#ifndef __CUDACC_RTC__
#include <complex>

namespace crossdock::functors::elementary {

#define CROSSDOCK_COMPLEX(name)                                \
  template <class T>                                           \
  CROSSDOCK_HD Complex<T> name(Complex<T> a) {                 \
    const auto value = std::name(std::complex<T>(a.re, a.im)); \
    return {value.real(), value.imag()};                       \
  }

CROSSDOCK_COMPLEX(sqrt)
CROSSDOCK_COMPLEX(exp)
CROSSDOCK_COMPLEX(log)
CROSSDOCK_COMPLEX(sin)
CROSSDOCK_COMPLEX(cos)
CROSSDOCK_COMPLEX(tan)
CROSSDOCK_COMPLEX(asin)
CROSSDOCK_COMPLEX(acos)
CROSSDOCK_COMPLEX(atan)
CROSSDOCK_COMPLEX(sinh)
CROSSDOCK_COMPLEX(cosh)
CROSSDOCK_COMPLEX(asinh)
CROSSDOCK_COMPLEX(acosh)
CROSSDOCK_COMPLEX(atanh)

#undef CROSSDOCK_COMPLEX

// At an infinity Annex G takes the sign of sin(2y) for the zero, the array API standard that of y.
template <class T>
CROSSDOCK_HD Complex<T> tanh(Complex<T> a) {
  if (a.re - a.re != 0 && a.re == a.re && a.im - a.im == 0) return {copysign(T{1}, a.re), copysign(T{0}, a.im)};
  const auto value = std::tanh(std::complex<T>(a.re, a.im));
  return {value.real(), value.imag()};
}

template <class T>
CROSSDOCK_HD Complex<T> pow(Complex<T> a, Complex<T> b) {
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0 && b.re > 0 && b.im == 0) return {0, 0};
  const auto value = std::pow(std::complex<T>(a.re, a.im), std::complex<T>(b.re, b.im));
  return {value.real(), value.imag()};
}

}  // namespace crossdock::functors::elementary
#endif

namespace crossdock::functors::elementary {

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

// e^x cos y - 1 = expm1(x) cos y - 2 sin(y / 2)^2 does not cancel near 0.
template <class T>
CROSSDOCK_HD Complex<T> expm1(Complex<T> a) {
  if (a.im == 0) return {a.re == 0 ? T{0} : expm1(a.re), a.im};  // the standard has +0 for -0 too
  if (a.re - a.re != 0 || a.im - a.im != 0) return exp(a) - Complex<T>{1, 0};
  const T half = sin(a.im / 2);
  return {expm1(a.re) * cos(a.im) - 2 * half * half, exp(a.re) * sin(a.im)};
}

// |1 + a|^2 - 1 = x (2 + x) + y^2 does not cancel near 0.
template <class T>
CROSSDOCK_HD Complex<T> log1p(Complex<T> a) {
  const Complex<T> sum{1 + a.re, a.im};
  if (!(fabs(a.re) < T(0.5) && fabs(a.im) < T(0.5))) return log(sum);
  return {log1p(a.re * (2 + a.re) + a.im * a.im) / 2, atan2(sum.im, sum.re)};
}

}  // namespace crossdock::functors::elementary
