// floor_divide and remainder: the quotient is rounded down, the remainder has the divisor's sign. As the array API
// standard says also where NumPy departs from it (infinite operands: floor_divide is floor(a / b), and keeps the sign
// of a zero). Integers: division by zero gives 0.
#pragma once

#include "crossdock/functors/arithmetic.h"

namespace crossdock::functors {

struct FloorDivide {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_floating<T>)
      return floating(a, b);
    else
      return integer(a, b);
  }

 private:
  template <class T>
  CROSSDOCK_HD static T floating(T a, T b) {
    if (b == 0 || a - a != 0 || b - b != 0) return a / b;
    const T rest = elementary::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return elementary::copysign(T{0}, a / b);
    // (a - rest) / b is a whole number up to its rounding error.
    const T floored = elementary::floor(quotient);
    return quotient - floored > T(0.5) ? floored + 1 : floored;
  }
  template <class T>
  CROSSDOCK_HD static T integer(T a, T b) {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == -1) return Negative{}(a);
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(quotient - ((a % b != 0) && ((a < 0) != (b < 0))));
    } else {
      return static_cast<T>(a / b);
    }
  }
};

struct Remainder {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_floating<T>)
      return floating(a, b);
    else
      return integer(a, b);
  }

 private:
  template <class T>
  CROSSDOCK_HD static T floating(T a, T b) {
    const T rest = elementary::fmod(a, b);
    if (rest == 0) return elementary::copysign(T{0}, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;  // NaN + b is NaN
  }
  template <class T>
  CROSSDOCK_HD static T integer(T a, T b) {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == -1) return 0;
      const T rest = static_cast<T>(a % b);
      return static_cast<T>(rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest);
    } else {
      return static_cast<T>(a % b);
    }
  }
};

}  // namespace crossdock::functors
