// asin, acos, atan and atan2: odd polynomials near zero, to which identities lead.
#pragma once

#include "precision.h"

namespace crossdock::native {
namespace {

template <class T>
struct InverseTerms;
template <>
struct InverseTerms<float> {
  static constexpr double arctangent[] = {0.05048136594383191, -0.08624675402068978, 0.11071364922226734,
                                          -0.1428415118825153, 0.19999977258588697,  -0.3333333327925451};
  static constexpr double arcsine[] = {0.030974540371355073, 0.010574415516912909, 0.023611817008891752,
                                       0.030269138728589183, 0.04464766388813485,  0.07499992404401838,
                                       0.16666666686085643};
};
template <>
struct InverseTerms<double> {
  static constexpr double arctangent[] = {0.016285743676675443, -0.03457055008991637, 0.04551592758246219,
                                          -0.05230454169285298, 0.05878928984071892,  -0.06666424884541275,
                                          0.07692296374965499,  -0.09090908753498572, 0.111111111051554,
                                          -0.14285714285659828, 0.19999999999999804,  -0.3333333333333333};
  static constexpr double arcsine[] = {
      0.028757851367421566, -0.014851887071247204, 0.01740087944269402,  0.005457506718640358, 0.01032281435018578,
      0.011479177415184906, 0.013971212973552933,  0.017352392720869973, 0.02237217294214989,  0.030381944138531247,
      0.04464285714635543,  0.07499999999998433,   0.16666666666666669};
};

inline constexpr double kTanEighth = 0x1.a827999fcef32p-2;  // tan(pi/8)

// low + atan(t) - t, for |t| <= tan(pi/8)
template <class T>
[[gnu::always_inline]] inline double atan_rest(double t, double low) {
  const double square = t * t;
  return t * square * polynomial(InverseTerms<T>::arctangent, square) + low;
}

template <class T>
[[gnu::always_inline]] inline T vector_atan(T x) {
  const double wide = x, size = fabs(wide);
  const bool middle = size > kTanEighth, far = size > 1 / kTanEighth;
  const double above = far ? -1 : middle ? size - 1 : size;
  const double below = far ? size : middle ? size + 1 : 1;
  const double t = above / below;
  const double base = far ? kHalfPi : middle ? kHalfPi / 2 : 0, low = far ? kHalfPiLow : middle ? kHalfPiLow / 2 : 0;
  return static_cast<T>(copysign(base + (t + atan_rest<T>(t, low)), wide));
}

// The angle between the larger size's axis and the point, mirrored until it is in the point's octant. Sizes above 1 are
// halved before they are added, as the sum of the largest would overflow.
template <class T>
[[gnu::always_inline]] inline T vector_atan2(T y, T x) {
  const double wide_y = y, wide_x = x, up = fabs(wide_y), aside = fabs(wide_x);
  const bool turned = up > aside, left = copysign(1.0, wide_x) < 0;
  const double smaller = turned ? aside : up, larger = turned ? up : aside;
  const bool same = smaller == larger, middle = (smaller > larger * kTanEighth) | (same & (larger > 0));
  const double scale = sizeof(T) == sizeof(double) && larger > 1 ? 0.5 : 1;
  const double above = middle ? smaller * scale - larger * scale : smaller;
  const double below = middle ? smaller * scale + larger * scale : larger;
  const double divided = above / below;
  const double t = same ? 0 : divided;  // two zeros, two infinities
  const double rest = t + atan_rest<T>(t, 0);
  const double eighths = turned ? (middle ? 1 : 2) : (middle ? 1 : 0);
  const double mirrored = left ? 4 - eighths : eighths;
  const double signed_rest = turned != left ? -rest : rest;
  const double size = mirrored * (kHalfPi / 2) + (mirrored * (kHalfPiLow / 2) + signed_rest);
  const double result = copysign(size, wide_y);
  return static_cast<T>(wide_x != wide_x || wide_y != wide_y ? wide_x + wide_y : result);
}

// asin(a) for a <= 1/2, else with s = sqrt((1 - a) / 2): pi/2 - 2 asin(s).
struct ArcParts {
  bool large;
  double s, rest;  // asin(s) = s + rest
};
template <class T>
[[gnu::always_inline]] inline ArcParts arc_parts(double size) {
  const bool large = size > 0.5;
  const double complement = 0.5 - 0.5 * size, square = large ? complement : size * size;
  const double root = sqrt(complement), s = large ? root : size;
  return {large, s, s * square * polynomial(InverseTerms<T>::arcsine, square)};
}

template <class T>
[[gnu::always_inline]] inline T vector_asin(T x) {
  const double wide = x;
  const auto [large, s, rest] = arc_parts<T>(fabs(wide));
  const double near_one = (kHalfPi - 2 * s) + (kHalfPiLow - 2 * rest);
  return static_cast<T>(copysign(large ? near_one : s + rest, wide));
}

template <class T>
[[gnu::always_inline]] inline T vector_acos(T x) {
  const double wide = x;
  const auto [large, s, rest] = arc_parts<T>(fabs(wide));
  const bool negative = wide < 0;
  const double up = negative ? s : -s, up_rest = negative ? rest : -rest;
  const double middle = kHalfPi + (up + (kHalfPiLow + up_rest));
  const double near_minus_one = (2 * kHalfPi - 2 * s) + (2 * kHalfPiLow - 2 * rest);
  const double near_one = 2 * (s + rest);
  return static_cast<T>(large ? (negative ? near_minus_one : near_one) : middle);
}

}  // namespace
}  // namespace crossdock::native
