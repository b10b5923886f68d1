// Quotients rounded down, and remainders, by one vectorised division of real numbers. Whole numbers that the
// significand holds with a bit to spare have quotients that rounding cannot carry to the next whole number: floor(a /
// b) is exact.
#pragma once

#include "crossdock/functors/division.h"
#include "elements.h"
#include "precision.h"

namespace crossdock::native {
namespace {

using functors::elementary::floor;

// The real type that holds an integer type's elements: all of them, or those below kExact.
template <class T>
using RealFor = typename functors::Choose<(sizeof(T) <= 2), float, double>::type;
template <class T>
inline constexpr T kExact = sizeof(T) == 8 ? static_cast<T>(std::int64_t{1} << 50) : T{0};

template <class R>
inline constexpr R kShift = functors::vectorized::Constants<R>::whole;
template <class R>
using Bits = typename functors::Choose<sizeof(R) == 8, std::uint64_t, std::uint32_t>::type;

template <class T>
[[gnu::always_inline]] inline bool exact(T a) {
  if constexpr (sizeof(T) < 8) {
    return true;
  } else if constexpr (functors::is_signed<T>) {
    return (a < kExact<T>)&(a > -kExact<T>);
  } else {
    return a < kExact<T>;
  }
}

// By adding to the bits of a large number where there is no vectorised conversion.
template <class T>
[[gnu::always_inline]] inline RealFor<T> real(T a) {
  using R = RealFor<T>;
  if constexpr (sizeof(T) == 8 || (sizeof(T) == 4 && !functors::is_signed<T>)) {
    const auto bits = static_cast<std::uint64_t>(bit_cast<std::int64_t>(kShift<R>)) + static_cast<std::uint64_t>(a);
    return bit_cast<R>(bits) - kShift<R>;
  } else {
    return static_cast<R>(a);
  }
}
// Of a whole number, modulo 2^N.
template <class T>
[[gnu::always_inline]] inline T whole(RealFor<T> a) {
  using R = RealFor<T>;
  return static_cast<T>(bit_cast<Bits<R>>(a + kShift<R>) - bit_cast<Bits<R>>(kShift<R>));
}

struct VectorFloorDivide {
  template <class T>
  [[gnu::always_inline]] static bool plain(T a, T b) {
    return exact(a) & exact(b);
  }
  template <class T>
  [[gnu::always_inline]] static T compute(T a, T b) {
    const T quotient = whole<T>(floor(real(a) / real(b)));
    return b == 0 ? T{0} : quotient;
  }
  template <class T>
  [[gnu::always_inline]] static T call(T a, T b) {
    return functors::FloorDivide{}(a, b);
  }
};
struct VectorRemainder {
  template <class T>
  [[gnu::always_inline]] static bool plain(T a, T b) {
    return exact(a) & exact(b);
  }
  template <class T>
  [[gnu::always_inline]] static T compute(T a, T b) {
    const auto dividend = real(a), divisor = real(b);
    const T rest = whole<T>(dividend - floor(dividend / divisor) * divisor);
    return b == 0 ? T{0} : rest;
  }
  template <class T>
  [[gnu::always_inline]] static T call(T a, T b) {
    return functors::Remainder{}(a, b);
  }
};

// By the same divisor each time, which is not 0: (a + 1/2) / |b| is at least 1 / (2 |b|) from whole numbers, more than
// the reciprocal's rounding carries it.
template <class T, bool remainder>
struct Divisor {
  using R = RealFor<T>;
  T b;
  R sign, divisor, reciprocal;

  explicit Divisor(T value)
      : b(value), sign(value > 0 ? 1 : -1), divisor(sign * real(value)), reciprocal(1 / divisor) {}

  [[gnu::always_inline]] static bool plain(T a) { return exact(a); }
  [[gnu::always_inline]] T compute(T a) const {
    const R dividend = sign * real(a), quotient = floor((dividend + R(0.5)) * reciprocal);
    return whole<T>(remainder ? sign * (dividend - quotient * divisor) : quotient);
  }
  [[gnu::always_inline]] T call(T a) const {
    return remainder ? functors::Remainder{}(a, b) : functors::FloorDivide{}(a, b);
  }
};

// floor(a / b) and a - floor(a / b) b of real numbers, where the quotient is so small that the product is exact: in
// double for floats, else with a fused product. Where a / b was rounded up to a whole number, the rest has the wrong
// sign.
struct RealDivision {
  double quotient, rest;
};
template <class T>
[[gnu::always_inline]] inline bool plain_division(T a, T b) {
  constexpr double kMost = sizeof(T) == sizeof(float) ? 0x1p28 : 0x1p52;
  const double dividend = a, divisor = b;
  return (fabs(dividend / divisor) < kMost) & (fabs(divisor) < kInfinity);
}
template <class T>
[[gnu::always_inline]] inline RealDivision divide_real(T a, T b) {
  const double dividend = a, divisor = b, quotient = floor(dividend / divisor);
  double rest;
  if constexpr (sizeof(T) == sizeof(float)) {
    rest = dividend - quotient * divisor;
  } else {
    rest = __builtin_fma(-quotient, divisor, dividend);
  }
  const bool wrong = (rest < 0 && divisor > 0) || (rest > 0 && divisor < 0);
  return {wrong ? quotient - 1 : quotient, wrong ? rest + divisor : rest};
}

struct RealFloorDivide {
  template <class T>
  [[gnu::always_inline]] static bool plain(T a, T b) {
    return plain_division(a, b);
  }
  template <class T>
  [[gnu::always_inline]] static T compute(T a, T b) {
    return static_cast<T>(divide_real(a, b).quotient);
  }
  template <class T>
  [[gnu::always_inline]] static T call(T a, T b) {
    return functors::FloorDivide{}(a, b);
  }
};
struct RealRemainder {
  template <class T>
  [[gnu::always_inline]] static bool plain(T a, T b) {
    return plain_division(a, b);
  }
  template <class T>
  [[gnu::always_inline]] static T compute(T a, T b) {
    const double rest = divide_real(a, b).rest;
    return static_cast<T>(rest == 0 ? copysign(0.0, static_cast<double>(b)) : rest);
  }
  template <class T>
  [[gnu::always_inline]] static T call(T a, T b) {
    return functors::Remainder{}(a, b);
  }
};

}  // namespace
}  // namespace crossdock::native
