// Questions about floating-point values. Written with comparisons, which vectorise.
#pragma once

#include "crossdock/functors/elementary.h"
#include "crossdock/functors/traits.h"

namespace crossdock::functors {

struct IsNan {
  template <class T>
  CROSSDOCK_HD bool operator()(T a) const {
    if constexpr (is_complex<T>)
      return (a.re != a.re) | (a.im != a.im);
    else
      return a != a;
  }
};
struct IsInf {
  template <class T>
  CROSSDOCK_HD bool operator()(T a) const {
    if constexpr (is_complex<T>)
      return IsInf{}(a.re) | IsInf{}(a.im);
    else
      return elementary::fabs(a) == static_cast<T>(INFINITY);
  }
};
struct IsFinite {
  template <class T>
  CROSSDOCK_HD bool operator()(T a) const {
    if constexpr (is_complex<T>)
      return IsFinite{}(a.re) & IsFinite{}(a.im);
    else
      return elementary::fabs(a) < static_cast<T>(INFINITY);
  }
};
struct SignBit {
  CROSSDOCK_HD bool operator()(float a) const { return bit_cast<std::int32_t>(a) < 0; }
  CROSSDOCK_HD bool operator()(double a) const { return bit_cast<std::int64_t>(a) < 0; }
};

}  // namespace crossdock::functors
