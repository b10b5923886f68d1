// log1p, log2, log10 and the inverse hyperbolic functions: logarithms of u (1 + c), where c is what rounding took from
// u. u = 2^e m with m in [sqrt(1/2), sqrt 2), f = m - 1. For double, with s = f / (2 + f), log m = 2 s + s^3 R(s^2);
// for float, which needs fewer digits than that has, without the division: log m = f + f^2 R(f).
#pragma once

#include "precision.h"

namespace crossdock::native {
namespace {

template <class T>
struct LogTerms;
template <>
struct LogTerms<float> {
  static constexpr double r[] = {0.05393138749576588, -0.09771465807501317, 0.09923885368376231, -0.0993613912462087,
                                 0.11028402124961793, -0.12498238892003931, 0.14289164873768218, -0.1666682382762548,
                                 0.19999941129219598, -0.24999997692956752, 0.3333333361966362,  -0.5000000000445645};
};
template <>
struct LogTerms<double> {
  static constexpr double r[] = {0.13086627491197242, 0.13268773010203216, 0.15386239707611124, 0.18181795640044723,
                                 0.22222222391714744, 0.2857142857080361,  0.4000000000000088,  0.6666666666666666};
};

// log m = f - (half - rest)
struct LogParts {
  double e, f, half, rest;
};

// u = 2^e (1 + f), positive and finite, not below the smallest normal double.
struct BinaryParts {
  double e, f;
};
[[gnu::always_inline]] inline BinaryParts binary_parts(double u) {
  constexpr std::int64_t kOne = std::int64_t{1023} << 52, kRootHalf = 0x3fe6a09e667f3bcd;
  const auto shifted = static_cast<std::int64_t>(bit_cast<std::uint64_t>(u) + (kOne - kRootHalf));
  const double e = bit_cast<double>(bit_cast<std::int64_t>(kWhole) + ((shifted >> 52) - 1023)) - kWhole;
  return {e, bit_cast<double>((shifted & ((std::int64_t{1} << 52) - 1)) + kRootHalf) - 1};
}

template <class T>
[[gnu::always_inline]] inline LogParts log_parts(double u) {
  const auto [e, f] = binary_parts(u);
  if constexpr (sizeof(T) == sizeof(float)) {
    return {e, f, 0, f * f * polynomial(LogTerms<T>::r, f)};
  } else {
    const double s = f / (2 + f), square = s * s, half = 0.5 * f * f;
    return {e, f, half, s * (half + square * polynomial(LogTerms<T>::r, square))};
  }
}

template <class T>
[[gnu::always_inline]] inline double log_of(double u, double c) {
  using C = functors::vectorized::Constants<double>;
  const auto [e, f, half, rest] = log_parts<T>(u);
  return e * C::ln2_high - ((half - (rest + (e * C::ln2_low + c))) - f);
}

// What rounding took from u = 1 + x, as a part of u. Floats lose something only where u is nearly 1.
template <class T>
[[gnu::always_inline]] inline double lost(double x, double u) {
  const bool small = fabs(x) < 1;
  if constexpr (sizeof(T) == sizeof(float)) {
    return small ? x - (u - 1) : 0;
  } else {
    return (small ? x - (u - 1) : 1 - (u - x)) / u;
  }
}

// log(1 + x) for finite x > -1.
template <class T>
[[gnu::always_inline]] inline double log_of_one_and(double x) {
  const double u = 1 + x;
  return log_of<T>(u, lost<T>(x, u));
}

template <class T>
[[gnu::always_inline]] inline T vector_log1p(T x) {
  const double wide = x, result = log_of_one_and<T>(wide);
  const double finite = wide > -1 ? result : wide == -1 ? -kInfinity : kNan;
  return static_cast<T>(fabs(wide) < 0x1p-54 || !(wide < kInfinity) ? wide : finite);
}

// The logarithm to base 2 (`decimal` false) or 10, exact for their powers: log m in two parts, of which the first has
// so few bits that its product with the first part of 1 / log(base) is exact.
template <class T, bool decimal>
[[gnu::always_inline]] inline T vector_log_to_base(T x) {
  constexpr double kHigh = decimal ? 0x1.bcb7b15p-2 : 0x1.7154765p+0;
  constexpr double kLow = decimal ? 0x1.37287195355bbp-33 : 0x1.5c17f0bbbe88p-31;
  constexpr double kTwoHigh = decimal ? 0x1.34413509f6p-2 : 1, kTwoLow = decimal ? 0x1.9fef311f12b36p-42 : 0;
  const double wide = x;
  const bool subnormal = wide < 0x1p-1022;
  const auto [e, f, half, rest] = log_parts<T>(subnormal ? wide * 0x1p54 : wide);
  const double exponent = subnormal ? e - 54 : e;
  double result;
  if constexpr (sizeof(T) == sizeof(float)) {
    result = exponent * (kTwoHigh + kTwoLow) + (f - (half - rest)) * (kHigh + kLow);
  } else {
    const double high = bit_cast<double>(bit_cast<std::int64_t>(f - half) & ~std::int64_t{0xffffffff});
    const double low = ((f - high) - half) + rest;
    const double whole = exponent * kTwoHigh, part = high * kHigh, sum = whole + part;
    const double error = exponent * kTwoLow + ((low + high) * kLow + low * kHigh);
    result = sum + (error + ((whole - sum) + part));
  }
  const double positive = wide < kInfinity ? result : wide;
  const double ordered = wide == 0 ? -kInfinity : positive;
  return static_cast<T>(wide < 0 ? kNan : ordered);
}

// log(2 large) or log(1 + small), as `is_large` says.
template <class T>
[[gnu::always_inline]] inline double log_of_either(bool is_large, double large, double small) {
  const double sum = 1 + small, u = is_large ? large : sum;
  return log_of<T>(u, is_large ? 0 : lost<T>(small, sum)) + (is_large ? kLn2 : 0);
}

inline constexpr double kLarge = 0x1p28;  // beyond: x^2 + 1 and x^2 - 1 are x^2

template <class T>
[[gnu::always_inline]] inline T vector_asinh(T x) {
  const double wide = x, size = fabs(wide);
  const bool is_large = size > kLarge;
  const double bounded = is_large ? 1 : size, square = bounded * bounded;
  const double result = log_of_either<T>(is_large, size, bounded + square / (1 + sqrt(1 + square)));
  const double finite = copysign(size < kInfinity ? result : size, wide);
  return static_cast<T>(size < 1 / kLarge || wide != wide ? wide : finite);
}

template <class T>
[[gnu::always_inline]] inline T vector_acosh(T x) {
  const double wide = x;
  const bool is_large = wide > kLarge;
  const double above = is_large ? 1 : wide - 1;
  const double result = log_of_either<T>(is_large, wide, above + sqrt(2 * above + above * above));
  const double finite = wide < kInfinity ? result : wide;
  return static_cast<T>(wide >= 1 ? finite : kNan);
}

// (1 + a) / (1 - a) = 1 + 2 a / (1 - a), which is 1 + 2 a + 2 a^2 / (1 - a), better for small ones.
template <class T>
[[gnu::always_inline]] inline T vector_atanh(T x) {
  const double wide = x, size = fabs(wide);
  const bool is_small = size < 0.5;
  const double twice = size + size, quotient = (is_small ? twice * size : twice) / (1 - size);
  const double result = 0.5 * log_of_one_and<T>(is_small ? twice + quotient : quotient);
  const double bounded = size < 1 ? result : size == 1 ? kInfinity : kNan;
  return static_cast<T>(size < 1 / kLarge ? wide : copysign(bounded, wide));
}

}  // namespace
}  // namespace crossdock::native
