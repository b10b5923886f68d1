// What linear algebra needs of numbers, real or complex.
#pragma once

#include "crossdock/functors/complex.h"
#include "kernels/device.h"

namespace crossdock::cuda {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<functors::Complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;

template <class R>
CROSSDOCK_HD R real_of(R x) {
  return x;
}
template <class R>
CROSSDOCK_HD R real_of(functors::Complex<R> x) {
  return x.re;
}
template <class R>
CROSSDOCK_HD R imag_of(R) {
  return 0;
}
template <class R>
CROSSDOCK_HD R imag_of(functors::Complex<R> x) {
  return x.im;
}
template <class R>
CROSSDOCK_HD R conjugate(R x) {
  return x;
}
template <class R>
CROSSDOCK_HD functors::Complex<R> conjugate(functors::Complex<R> x) {
  return {x.re, -x.im};
}
// The square of the absolute value.
template <class R>
CROSSDOCK_HD R square_of(R x) {
  return x * x;
}
template <class R>
CROSSDOCK_HD R square_of(functors::Complex<R> x) {
  return x.re * x.re + x.im * x.im;
}

template <class T>
struct Make {
  CROSSDOCK_HD static T of(T re, T = 0) { return re; }
};
template <class R>
struct Make<functors::Complex<R>> {
  CROSSDOCK_HD static functors::Complex<R> of(R re, R im = 0) { return {re, im}; }
};

template <class R>
CROSSDOCK_HD R absolute(R x) {
  return x < 0 ? -x : x;
}
// |re| + |im|, by which pivots are chosen.
template <class T>
CROSSDOCK_HD Real<T> size_of(T x) {
  return absolute(real_of(x)) + absolute(imag_of(x));
}
// The larger one; NaN wins.
template <class R>
CROSSDOCK_HD R larger(R a, R b) {
  return a != a || a > b ? a : b;
}

inline float root_of(float x) { return sqrtf(x); }
inline double root_of(double x) { return sqrt(x); }

template <class R>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float epsilon = 1.1920928955078125e-7f;
};
template <>
struct Limits<double> {
  static constexpr double epsilon = 2.220446049250313e-16;
};

}  // namespace crossdock::cuda
