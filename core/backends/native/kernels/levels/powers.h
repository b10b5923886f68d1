// sinh, cosh, hypot, logaddexp and pow.
#pragma once

#include "logarithms.h"

namespace crossdock::native {
namespace {

inline constexpr double kSinhSmall[] = {7.746178593018827e-13,  1.6057679623801638e-10, 2.5052117695907823e-08,
                                        2.7557319191381816e-06, 0.00019841269841324198, 0.008333333333333299,
                                        0.16666666666666666};

// e^x / 4, which does not overflow before sinh and cosh do.
template <class T>
[[gnu::always_inline]] inline double quarter_exp(double size) {
  const auto [n, tail] = exp_parts<T>(size > 710.5 ? 710.5 : size);
  const double quarter = power_of_two<double>(n - 2);
  return quarter + quarter * tail;
}

template <class T>
[[gnu::always_inline]] inline T vector_sinh(T x) {
  const double wide = x, size = fabs(wide), square = size * size;
  const double quarter = quarter_exp<T>(size);
  const double large = 2 * (quarter - 0.0625 / quarter);
  double small;
  if constexpr (sizeof(T) == sizeof(float)) {
    small = size + size * square * (1.0 / 6);
    small = size < 0x1p-8 ? small : large;
  } else {
    small = size + size * square * polynomial(kSinhSmall, square);
    small = size < 1 ? small : large;
  }
  return static_cast<T>(copysign(small, wide));
}

template <class T>
[[gnu::always_inline]] inline T vector_cosh(T x) {
  const double quarter = quarter_exp<T>(fabs(static_cast<double>(x)));
  return static_cast<T>(2 * (quarter + 0.0625 / quarter));
}

[[gnu::always_inline]] inline float hypot_of(float x, float y) {
  const double wide_x = x, wide_y = y;
  const auto size = static_cast<float>(sqrt(wide_x * wide_x + wide_y * wide_y));
  const auto infinity = static_cast<float>(kInfinity);
  return fabs(x) == infinity || fabs(y) == infinity ? infinity : size;
}

// Scaled by a power of two, so that the squares neither overflow nor vanish.
[[gnu::always_inline]] inline double hypot_of(double x, double y) {
  const double a = fabs(x), b = fabs(y), larger = a > b ? a : b;
  const std::int64_t field = bit_cast<std::int64_t>(larger) >> 52;
  const std::int64_t exponent = field < 1 ? 1 : field > 2045 ? 2045 : field;
  const double down = bit_cast<double>((2046 - exponent) << 52), up = bit_cast<double>(exponent << 52);
  const double c = a * down, d = b * down;
  const double size = sqrt(c * c + d * d) * up;
  return a == kInfinity || b == kInfinity ? kInfinity : size;
}

template <class T>
[[gnu::always_inline]] inline T vector_logaddexp(T x, T y) {
  const double a = x, b = y, larger = a > b ? a : b, smaller = a > b ? b : a;
  const double apart = a == b ? 0 : smaller - larger;  // infinities too
  const auto [n, tail] = exp_parts<T>(apart > -800 ? apart : -800);
  const std::int64_t half = n >> 1;
  const double power = (1 + tail) * power_of_two<double>(half) * power_of_two<double>(n - half);
  const double sum = larger + (power < 0x1p-54 ? power : log_of_one_and<T>(power));
  return static_cast<T>(a != a || b != b ? a + b : sum);
}

// 2^(exponent + low), |exponent| <= 1100.
template <class T>
[[gnu::always_inline]] inline double power_from(double exponent, double low) {
  const double shifted = exponent + kWhole;
  const double r = ((exponent - (shifted - kWhole)) + low) * kLn2;
  const double result = 1 + (r + r * r * polynomial(ExpTerms<T>::q, r));
  const std::int64_t whole = bit_cast<std::int64_t>(shifted) - bit_cast<std::int64_t>(kWhole);
  const std::int64_t half = whole >> 1;
  return result * power_of_two<double>(half) * power_of_two<double>(whole - half);
}

struct Sum {
  double value, low;
};

// log2 of a positive finite number that is not subnormal; of 0 anything.
template <class T>
[[gnu::always_inline]] inline Sum binary_log(double u) {
  const auto [e, f, half, rest] = log_parts<T>(u);
  return {e + (f + rest) * kInverseLn2, 0};
}

// Powers of double need more digits of the logarithm than a double has, and those need fused products.
#ifdef __FP_FAST_FMA
[[gnu::always_inline]] inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

[[gnu::always_inline]] inline Sum product(Sum a, Sum b) {
  const double value = a.value * b.value;
  return {value, fma(a.value, b.value, -value) + (a.value * b.low + a.low * b.value)};
}
// Where |a| >= |b|, or a is 0.
[[gnu::always_inline]] inline Sum sum(double a, Sum b) {
  const double value = a + b.value;
  return {value, ((a - value) + b.value) + b.low};
}

inline constexpr double kPowTerms[] = {
    0.11723052244938056, 0.11706248424566981, 0.13334804242570036, 0.1538459497081558,
    0.1818181833531515,  0.2222222222165623,  0.28571428571429364, 0.4};

// To some 66 bits: log m = 2 s + s^3 (2/3 + s^2 P(s^2)).
template <>
[[gnu::always_inline]] inline Sum binary_log<double>(double u) {
  const auto [e, f] = binary_parts(u);
  const double d = 2 + f, d_low = (2 - d) + f, inverse = 1 / d, first = f * inverse;
  const Sum s{first, (fma(-first, d, f) - first * d_low) * inverse};
  const Sum square = product(s, s), cube = product(square, s);
  const double rest = square.value * polynomial(kPowTerms, square.value);
  const Sum factor = sum(0x1.5555555555555p-1, {rest, 0x1.5555555555555p-55});
  const Sum term = product(cube, factor);
  const Sum log = sum(2 * s.value, {term.value, term.low + 2 * s.low});
  return sum(e, product(log, {kInverseLn2, 0x1.777d0ffda0d24p-56}));
}
#endif

// Of a base that is positive and finite, not subnormal, or +0, and a finite exponent, positive where the base is 0.
template <class T>
[[gnu::always_inline]] inline bool plain_pow(T x, T y) {
  constexpr T kSmallest = sizeof(T) == sizeof(float) ? T(0x1p-126) : T(0x1p-1022);
  const bool zero = (x == 0) & (copysign(T(1), x) > 0) & (y > 0);
  return ((x >= kSmallest) | zero) & (x < T(kInfinity)) & (fabs(y) < T(kInfinity));
}
template <class T>
[[gnu::always_inline]] inline T vector_pow(T x, T y) {
  const double base = x, exponent = y;
  const Sum log = binary_log<T>(base);
  const double whole = base == 0 ? -kInfinity : exponent * log.value;
  const double capped = whole > 1100 ? 1100 : whole, bounded = capped < -1100 ? -1100 : capped;
  if constexpr (sizeof(T) == sizeof(float)) {
    return static_cast<T>(power_from<T>(bounded, 0));
  } else {
    const double low = __builtin_fma(exponent, log.value, -whole) + exponent * log.low;
    return power_from<T>(bounded, bounded == whole ? low : 0);
  }
}

}  // namespace
}  // namespace crossdock::native
