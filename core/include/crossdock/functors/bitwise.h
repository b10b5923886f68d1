// Bits of integers. Shifts by a negative count, or by the width or more, shift everything out, as NumPy's.
#pragma once

#include "crossdock/functors/traits.h"

namespace crossdock::functors {

struct BitwiseAnd {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct BitwiseInvert {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return static_cast<T>(~a);
  }
};

struct LeftShift {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    const auto count = static_cast<Wrapping<T>>(b);
    const bool inside = count < 8 * sizeof(T);
    const auto shifted = static_cast<T>(static_cast<Wrapping<T>>(a) << (inside ? count : 0));
    return inside ? shifted : T{0};
  }
};
struct RightShift {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    constexpr int width = 8 * sizeof(T);
    const auto count = static_cast<Wrapping<T>>(b);
    const bool inside = count < width;
    if constexpr (is_signed<T>) return static_cast<T>(a >> (inside ? static_cast<int>(count) : width - 1));
    const auto shifted = static_cast<T>(a >> (inside ? static_cast<int>(count) : 0));
    return inside ? shifted : T{0};
  }
};

}  // namespace crossdock::functors
