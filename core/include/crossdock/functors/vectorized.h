// exp, expm1, log and tanh without branches, calls and tables, so that host compilers turn loops over them into vector
// code. Within 1 unit in the last place (exp, log), 2.1 (expm1) or 2.5 (tanh); right at all special values.
//
// exp: x = n ln 2 + r with |r| <= ln 2 / 2; e^r - 1 = r + r^2 q(r), q interpolated at Chebyshev nodes.
// log: x = 2^e m with m in [sqrt(1/2), sqrt 2); f = m - 1; with s = f / (2 + f), log m = 2 s + s^3 R(s^2).
#pragma once

#include "crossdock/functors/elementary.h"

namespace crossdock::functors::vectorized {

template <class T>
struct Constants;

template <>
struct Constants<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float whole = 12582912.0f;  // 1.5 * 2^23: adding it leaves a whole number in the lowest bits
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 1.4286068203094173e-06f;  // n * ln2_high is exact
  static constexpr float exp_lowest = -104.0f, exp_highest = 89.0f;                   // beyond: 0, infinity
  static constexpr float tanh_one = 20.0f;                                            // beyond: +-1
  static constexpr float tiny = 0x1p-25f;                                             // below: expm1(x) = x
  static constexpr Bits root_half = 0x3f3504f3;
  static constexpr float smallest_normal = 0x1p-126f, lift = 0x1p25f;
  static constexpr int lift_exponent = 25;
  static constexpr float q[] = {0.00019890980869750327f, 0.0013933641031986701f, 0.008333310934448869f,
                                0.04166646500604005f,    0.16666666681614256f,   0.5f};
  static constexpr float r[] = {0.2957994939197279f, 0.3998878056602198f, 0.6666668503957586f};
};

template <>
struct Constants<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
  static constexpr double exp_lowest = -746.0, exp_highest = 710.0;
  static constexpr double tanh_one = 44.0, tiny = 0x1p-54;
  static constexpr Bits root_half = 0x3fe6a09e667f3bcd;
  static constexpr double smallest_normal = 0x1p-1022, lift = 0x1p54;
  static constexpr int lift_exponent = 54;
  static constexpr double q[] = {2.152394694719263e-09,
                                 2.510520637395701e-08,
                                 2.755526118081964e-07,
                                 2.7557255425746435e-06,
                                 2.4801589742789202e-05,
                                 0.00019841269874800493,
                                 0.0013888888887613495,
                                 0.008333333333326141,
                                 0.04166666666666939,
                                 0.1666666666666667,
                                 0.5};
  static constexpr double r[] = {0.14616449685043406, 0.15331721600556042, 0.18182889125261723, 0.2222221113479508,
                                 0.28571428625975487, 0.39999999999899505, 0.666666666666667};
};

template <class T, int n>
CROSSDOCK_HD T polynomial(const T (&coefficients)[n], T x) {
  T sum = coefficients[0];
  CROSSDOCK_UNROLL
  for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
  return sum;
}

// 2^n for n within the exponents of normal numbers.
template <class T>
CROSSDOCK_HD T power_of_two(typename Constants<T>::Bits n) {
  using C = Constants<T>;
  return bit_cast<T>(static_cast<typename C::Bits>(static_cast<std::uint64_t>(n + C::bias) << C::mantissa));
}

// x = n ln 2 + r; `tail` is e^r - 1.
template <class T>
struct Reduced {
  typename Constants<T>::Bits n;
  T tail;
};
template <class T>
CROSSDOCK_HD Reduced<T> reduce(T x) {
  using C = Constants<T>;
  const T shifted = x * static_cast<T>(1.4426950408889634) + C::whole;
  const T n = shifted - C::whole;
  const T r = (x - n * C::ln2_high) - n * C::ln2_low;
  return {bit_cast<typename C::Bits>(shifted) - bit_cast<typename C::Bits>(C::whole), r + r * r * polynomial(C::q, r)};
}

// In two steps, of which the first is exact: subnormal results are rounded once.
template <class T>
CROSSDOCK_HD T exp(T x) {
  using C = Constants<T>;
  x = x < C::exp_lowest ? C::exp_lowest : x;  // NaN stays
  x = x > C::exp_highest ? C::exp_highest : x;
  const auto [n, tail] = reduce(x);
  const auto half = n >> 1;
  return (1 + tail) * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// 2^n (1 + tail) - 1, with half of each term so that 2^n does not overflow before the result does.
template <class T>
CROSSDOCK_HD T expm1(T x) {
  using C = Constants<T>;
  const T lowest = -C::tanh_one - C::tanh_one;  // e^lowest is nothing beside 1
  T bounded = x < lowest ? lowest : x;
  bounded = bounded > C::exp_highest ? C::exp_highest : bounded;
  const auto [n, tail] = reduce(bounded);
  const T half = power_of_two<T>(n - 1);
  const T result = 2 * (half * tail + (half - static_cast<T>(0.5)));
  return elementary::fabs(x) < C::tiny ? x : result;
}

template <class T>
CROSSDOCK_HD T tanh(T x) {
  using C = Constants<T>;
  T size = elementary::fabs(x);
  size = size > C::tanh_one ? C::tanh_one : size;
  const T power = expm1(2 * size);
  return elementary::copysign(power / (power + 2), x);
}

template <class T>
CROSSDOCK_HD T log(T x) {
  using C = Constants<T>;
  using Bits = typename C::Bits;
  constexpr Bits one = static_cast<Bits>(C::bias) << C::mantissa;
  const bool subnormal = x < C::smallest_normal;
  const Bits bits = bit_cast<Bits>(subnormal ? x * C::lift : x);
  const Bits shifted =
      static_cast<Bits>(static_cast<std::uint64_t>(bits) + static_cast<std::uint64_t>(one - C::root_half));
  const Bits exponent = (shifted >> C::mantissa) - C::bias - (subnormal ? C::lift_exponent : 0);
  const Bits fraction = (shifted & ((Bits{1} << C::mantissa) - 1)) + C::root_half;
  const T e = bit_cast<T>(bit_cast<Bits>(C::whole) + exponent) - C::whole;
  const T f = bit_cast<T>(fraction) - 1;
  const T s = f / (2 + f), square = s * s, half = static_cast<T>(0.5) * f * f;
  const T finite = e * C::ln2_high - ((half - (s * (half + square * polynomial(C::r, square)) + e * C::ln2_low)) - f);
  const T infinity = static_cast<T>(INFINITY);
  const T result = x == 0 ? -infinity : x < infinity ? finite : x;  // infinity and NaN are their own logarithms
  return x < 0 ? static_cast<T>(NAN) : result;
}

}  // namespace crossdock::functors::vectorized
