// sin, cos and tan of |x| <= kWidest: x = n pi/2 + r with |r| <= pi/4, the polynomials of sine and cosine at r, of
// which n says the one and the sign. pi/2 is subtracted in parts of 33 bits, whose products with n are exact; what
// rounding takes from r is kept as `tail`, so that nothing is lost beside the multiples of pi/2.
#pragma once

#include "precision.h"

namespace crossdock::native {
namespace {

inline constexpr double kWidest = 0x1p20;  // n has 20 bits then

template <class T>
struct CircularTerms;
template <>
struct CircularTerms<float> {
  static constexpr double sine[] = {2.724992551149805e-06, -0.00019840086733136276, 0.008333331874706047,
                                    -0.16666666663855279};
  static constexpr double cosine[] = {-2.730095896055525e-07, 2.4800600375280056e-05, -0.0013888887672013316,
                                      0.04166666666432119};
};
template <>
struct CircularTerms<double> {
  static constexpr double sine[] = {-7.586697060262238e-13, 1.605853161801165e-10,   -2.505210623244143e-08,
                                    2.755731921933915e-06,  -0.00019841269841265065, 0.008333333333333331,
                                    -0.16666666666666666};
  static constexpr double cosine[] = {-1.1382632341807706e-11, 2.0876146267241254e-09, -2.755731727172422e-07,
                                      2.4801587298765676e-05,  -0.0013888888888887398, 0.041666666666666664};
};

struct Angle {
  double r, tail;
  std::uint64_t quadrant;
};

template <class T>
[[gnu::always_inline]] inline Angle reduce_angle(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kFirst = 0x1.921fb544p+0;
  const double shifted = x * kTwoOverPi + kWhole, n = shifted - kWhole;
  const auto quadrant = bit_cast<std::uint64_t>(shifted);
  const double rest = x - n * kFirst;
  if constexpr (sizeof(T) == sizeof(float)) {
    return {rest - n * 0x1.0b4611a626331p-34, 0, quadrant};
  } else {
    const auto second = difference(rest, n * 0x1.0b4611a6p-34), third = difference(second.value, n * 0x1.3198a2ep-69);
    const double lost = (second.error + third.error) - n * 0x1.b839a252049c1p-104;
    const double r = third.value + lost;
    return {r, (third.value - r) + lost, quadrant};
  }
}

struct SineCosine {
  double sine, cosine;
};

template <class T>
[[gnu::always_inline]] inline SineCosine sine_cosine(const Angle& angle) {
  using Terms = CircularTerms<T>;
  const double r = angle.r, square = r * r, half = 0.5 * square;
  const double sine_rest = r * square * polynomial(Terms::sine, square);
  const double cosine_rest = square * square * polynomial(Terms::cosine, square);
  const double first = 1 - half;
  if constexpr (sizeof(T) == sizeof(float)) {
    return {r + sine_rest, first + cosine_rest};
  } else {
    return {r + (sine_rest + angle.tail * first), first + (((1 - first) - half) + (cosine_rest - r * angle.tail))};
  }
}

// sin(x + quarters * pi/2)
template <class T>
[[gnu::always_inline]] inline double circular(double x, std::uint64_t quarters) {
  const Angle angle = reduce_angle<T>(x);
  const auto [sine, cosine] = sine_cosine<T>(angle);
  const std::uint64_t quadrant = angle.quadrant + quarters;
  const double size = (quadrant & 1) != 0 ? cosine : sine;
  return bit_cast<double>(bit_cast<std::uint64_t>(size) ^ (quadrant & 2) << 62);
}

template <class T>
[[gnu::always_inline]] inline T vector_sin(T x) {
  const double wide = x, result = circular<T>(wide, 0);
  return static_cast<T>(fabs(wide) < 0x1p-27 ? wide : result);
}
template <class T>
[[gnu::always_inline]] inline T vector_cos(T x) {
  return static_cast<T>(circular<T>(x, 1));
}
template <class T>
[[gnu::always_inline]] inline T vector_tan(T x) {
  const double wide = x;
  const Angle angle = reduce_angle<T>(wide);
  const auto [sine, cosine] = sine_cosine<T>(angle);
  const bool odd = (angle.quadrant & 1) != 0;
  const double result = (odd ? -cosine : sine) / (odd ? sine : cosine);
  return static_cast<T>(fabs(wide) < 0x1p-27 ? wide : result);
}

}  // namespace
}  // namespace crossdock::native
