// What the elementary functions of complex numbers share: limits of float and double, sums without cancellation.
#pragma once

#include "crossdock/functors/complex.h"
#include "crossdock/functors/elementary.h"

namespace crossdock::functors::elementary {

template <class T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float epsilon = 0x1p-23f, smallest_normal = 0x1p-126f, largest = 0x1.fffffep127f;
  static constexpr float square_lowest = 0x1p-50f, square_highest = 0x1p63f;  // squares of those in between are normal,
                                                                              // and so are sums of two
  static constexpr float exp_lowest = -87.0f, exp_highest = 88.0f;            // e^x is normal in between
  static constexpr float tanh_one = 10.0f;                                    // beyond: +-1
};
template <>
struct Limits<double> {
  static constexpr double epsilon = 0x1p-52, smallest_normal = 0x1p-1022, largest = 0x1.fffffffffffffp1023;
  static constexpr double square_lowest = 0x1p-480, square_highest = 0x1p511;
  static constexpr double exp_lowest = -708.0, exp_highest = 709.0;
  static constexpr double tanh_one = 22.0;
};

template <class T>
inline constexpr T kPi = static_cast<T>(3.14159265358979323846);
template <class T>
inline constexpr T kLn2 = static_cast<T>(0.69314718055994530942);

template <class T>
CROSSDOCK_HD bool is_finite(T a) {
  return a - a == 0;
}
template <class T>
CROSSDOCK_HD bool is_infinite(T a) {
  return fabs(a) == static_cast<T>(INFINITY);
}

// i a: exact.
template <class T>
CROSSDOCK_HD Complex<T> turn_left(Complex<T> a) {
  return {-a.im, a.re};
}
// -i a.
template <class T>
CROSSDOCK_HD Complex<T> turn_right(Complex<T> a) {
  return {a.im, -a.re};
}

// a + b = sum + error, exactly (Knuth, "The art of computer programming", volume 2, 4.2.2).
template <class T>
struct ExactSum {
  T sum, error;
};
template <class T>
CROSSDOCK_HD ExactSum<T> exact_sum(T a, T b) {
  const T sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// c + x^2 + y^2 as if in twice the digits: its digits are right even where the terms cancel.
template <class T>
CROSSDOCK_HD T plus_squares(T c, T x, T y) {
  const T x_square = x * x, y_square = y * y;
  const ExactSum<T> one = exact_sum(c, x_square), two = exact_sum(one.sum, y_square);
  const ExactSum<T> low = exact_sum(fma(x, x, -x_square), fma(y, y, -y_square));
  const ExactSum<T> all = exact_sum(two.sum, low.sum);
  return all.sum + (all.error + ((one.error + two.error) + low.error));
}

}  // namespace crossdock::functors::elementary
