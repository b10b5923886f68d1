// asin, acos, atan, asinh, acosh and atanh of complex numbers, with the special values of C's Annex G.
//
// asin and acos: T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, "Implementing the complex arcsine and arccosine functions
// using exception handling", ACM Transactions on Mathematical Software 23 (1997). With r = |z + 1|, s = |z - 1| and
// A = (r + s) / 2, B = x / A: asin z = asin B + i log(A + sqrt(A^2 - 1)).
#pragma once

#include "crossdock/functors/complex_exponentials.h"

namespace crossdock::functors::elementary {

// Of x + iy in the first quadrant: real parts of asin and of acos, and the size of their imaginary parts.
template <class T>
struct ArcSine {
  T asin, acos, im;
};

// |(x, y)| for numbers whose squares are far from overflow, or nothing beside 1.
template <class T>
CROSSDOCK_HD T size_of(T x, T y) {
  return sqrt(x * x + y * y);
}

// x and y neither large nor small.
template <class T>
CROSSDOCK_HD ArcSine<T> arc_sine_between(T x, T y) {
  const T up = x + 1, down = x - 1, y_square = y * y;
  const T r = size_of(up, y), s = size_of(down, y), a = (r + s) / 2, b = x / a;
  ArcSine<T> result;
  if (b <= static_cast<T>(0.6417)) {
    result.asin = asin(b);
    result.acos = acos(b);
  } else {  // A^2 - x^2 without cancellation
    const T sum = a + x, half = static_cast<T>(0.5);
    const T root = x <= 1 ? sqrt(half * sum * (y_square / (r + up) + (s - down)))
                          : y * sqrt(half * (sum / (r + up) + sum / (s + down)));
    result.asin = atan2(x, root);
    result.acos = atan2(root, x);
  }
  if (a <= static_cast<T>(1.5)) {  // A - 1 without cancellation
    const T above = (y_square / (r + up) + (x < 1 ? y_square / (s - down) : s + down)) / 2;
    result.im = log1p(above + sqrt(above * (a + 1)));
  } else {
    result.im = log(a + sqrt(a * a - 1));
  }
  return result;
}

// The others, finite.
template <class T>
CROSSDOCK_HD ArcSine<T> arc_sine_beyond(T x, T y) {
  using L = Limits<T>;
  const T quarter = kPi<T> / 2, down = fabs(x - 1);
  if (down == 0 && y <= L::square_lowest) return {quarter - sqrt(y), sqrt(y), sqrt(y)};
  if (y <= L::epsilon / 4 * down) {  // as good as real
    if (x < 1) {
      return {asin(x), acos(x), y / sqrt((1 - x) * (1 + x))};
    }
    const bool large = x > L::square_highest;
    const T root = large ? x : sqrt(down) * sqrt(x + 1);
    return {quarter - y / root, y / root, large ? kLn2<T> + log(x) : log1p(down + root)};
  }
  if (L::epsilon / 4 * y - 1 >= x) return {x / y, quarter, kLn2<T> + log(y)};
  if (x > 1) {
    const T ratio = x / y;
    return {atan2(x, y), atan2(y, x), kLn2<T> + log(y) + log1p(ratio * ratio) / 2};
  }
  const T a = sqrt(1 + y * y);
  return {x / a, quarter, log1p(2 * y * (y + a)) / 2};
}

template <class T>
CROSSDOCK_HD ArcSine<T> arc_sine(T x, T y) {
  constexpr T highest = Limits<T>::square_highest / 8, lowest = Limits<T>::square_lowest;
  return x > lowest && x < highest && y > lowest && y < highest ? arc_sine_between(x, y) : arc_sine_beyond(x, y);
}

template <class T>
CROSSDOCK_HD Complex<T> asinh(Complex<T> a) {
  const T nan = static_cast<T>(NAN), infinity = static_cast<T>(INFINITY);
  if (!is_finite(a.re) || !is_finite(a.im)) {
    if (is_infinite(a.re)) return {a.re, a.im != a.im ? a.im : copysign(is_finite(a.im) ? T{0} : kPi<T> / 4, a.im)};
    if (is_infinite(a.im)) return {copysign(infinity, a.re), a.re != a.re ? nan : copysign(kPi<T> / 2, a.im)};
    return {nan, a.im == 0 ? a.im : nan};
  }
  const ArcSine<T> arc = arc_sine(fabs(a.im), fabs(a.re));
  return {copysign(arc.im, a.re), copysign(arc.asin, a.im)};
}

template <class T>
CROSSDOCK_HD Complex<T> acos(Complex<T> a) {
  const T nan = static_cast<T>(NAN), infinity = static_cast<T>(INFINITY);
  const T im = copysign(infinity, -a.im);
  if (a.re != a.re || a.im != a.im) {
    if (is_infinite(a.re) || is_infinite(a.im)) return {nan, im};
    return {a.re == 0 ? kPi<T> / 2 : nan, nan};
  }
  if (is_infinite(a.re) || is_infinite(a.im)) return {atan2(fabs(a.im), a.re), im};
  const ArcSine<T> arc = arc_sine(fabs(a.re), fabs(a.im));
  return {a.re < 0 ? kPi<T> - arc.acos : arc.acos, copysign(arc.im, -a.im)};
}

template <class T>
CROSSDOCK_HD Complex<T> asin(Complex<T> a) {
  return turn_right(asinh(turn_left(a)));
}

// i acos a or -i acos a, in the right half of the plane.
template <class T>
CROSSDOCK_HD Complex<T> acosh(Complex<T> a) {
  const Complex<T> arc = acos(a);
  return {fabs(arc.im), copysign(arc.re, a.im)};
}

// log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2 (W. Kahan, "Branch cuts for complex
// elementary functions", 1987, with the sum taken apart).
template <class T>
CROSSDOCK_HD Complex<T> atanh(Complex<T> a) {
  using L = Limits<T>;
  const T nan = static_cast<T>(NAN), quarter = kPi<T> / 2;
  if (is_infinite(a.re) || is_infinite(a.im)) {
    return {copysign(T{0}, a.re), a.im != a.im ? nan : copysign(quarter, a.im)};
  }
  if (a.re != a.re || a.im != a.im) return {a.re == 0 ? a.re : nan, nan};
  const T x = fabs(a.re), y = fabs(a.im);
  T re, im;
  if (x > 1 / L::epsilon || y > 1 / L::epsilon) {  // 1 / a + i pi / 2
    re = x > y ? 1 / (x + y * (y / x)) : x / y / (y + x * (x / y));
    im = quarter;
  } else {
    const T down = 1 - x;
    re = down == 0 && y < L::square_lowest ? (kLn2<T> - log(y)) / 2 : log1p(4 * x / (down * down + y * y)) / 4;
    im = atan2(2 * y, down * (1 + x) - y * y) / 2;
  }
  return {copysign(re, a.re), copysign(im, a.im)};
}

template <class T>
CROSSDOCK_HD Complex<T> atan(Complex<T> a) {
  return turn_right(atanh(turn_left(a)));
}

}  // namespace crossdock::functors::elementary
