// Elementary functions are computed in double for float elements too, with the terms that a float's digits ask for: so
// the vectorised ones of float are correct to their last digit nearly always, and need no care for cancellation.
#pragma once

#include "crossdock/functors/vectorized.h"
#include "level.h"

namespace crossdock::native {
namespace {

using functors::bit_cast;
using functors::elementary::copysign;
using functors::elementary::fabs;
using functors::elementary::sqrt;
using functors::vectorized::polynomial;
using functors::vectorized::power_of_two;

inline constexpr double kInfinity = __builtin_inf(), kNan = __builtin_nan("");
inline constexpr double kWhole = functors::vectorized::Constants<double>::whole;
inline constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1, kInverseLn2 = 0x1.71547652b82fep+0;

// a - b and what rounding took from it.
struct Difference {
  double value, error;
};
[[gnu::always_inline]] inline Difference difference(double a, double b) {
  const double value = a - b, b_part = a - value;
  return {value, (b_part - b) + (a - (value + b_part))};
}

// The parts of x = 2^n * (1 + tail) ^ (1 / ln 2 of it): e^x = 2^n (1 + tail).
template <class T>
struct ExpTerms;
template <>
struct ExpTerms<float> {
  static constexpr double q[] = {2.48595783333601e-05,
                                 0.00019899274069434545,
                                 0.0013888854049481818,
                                 0.008333298483621828,
                                 0.041666666718981143,
                                 0.16666666718997808,
                                 0.5};
};
template <>
struct ExpTerms<double> {
  static constexpr double q[] = {2.091467944897855e-09,
                                 2.5105206475334834e-08,
                                 2.7557273661174726e-07,
                                 2.75572554255029e-06,
                                 2.4801587325533502e-05,
                                 0.00019841269874800683,
                                 0.0013888888888883752,
                                 0.008333333333326141,
                                 0.04166666666666667,
                                 0.1666666666666667,
                                 0.5};
};

// e^x = 2^n (1 + tail), for |x| < 2^20.
struct ExpParts {
  std::int64_t n;
  double tail;
};
template <class T>
[[gnu::always_inline]] inline ExpParts exp_parts(double x) {
  using C = functors::vectorized::Constants<double>;
  const double shifted = x * kInverseLn2 + kWhole, n = shifted - kWhole;
  const double r = (x - n * C::ln2_high) - n * C::ln2_low;
  return {bit_cast<std::int64_t>(shifted) - bit_cast<std::int64_t>(kWhole), r + r * r * polynomial(ExpTerms<T>::q, r)};
}

}  // namespace
}  // namespace crossdock::native
