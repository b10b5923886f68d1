// Sums, products, quotients, signs. Integers wrap around; nothing traps.
#pragma once

#include "crossdock/functors/elementary.h"
#include "crossdock/functors/traits.h"

namespace crossdock::functors {

struct Add {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    else
      return a + b;
  }
};

struct Subtract {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
    else
      return a - b;
  }
};

struct Multiply {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    else
      return a * b;
  }
};

struct Divide {  // floating only
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return a / b;
  }
};

struct Negative {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
    else
      return -a;
  }
};

struct Abs {
  template <class T>
  CROSSDOCK_HD Real<T> operator()(T a) const {
    if constexpr (is_complex<T>)
      return elementary::hypot(a.re, a.im);
    else if constexpr (is_floating<T>)
      return elementary::fabs(a);
    else if constexpr (is_signed<T>)
      return a < 0 ? Negative{}(a) : a;
    else
      return a;
  }
};

struct Sign {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    if constexpr (is_complex<T>)
      return direction(a);
    else
      return a != a ? a : static_cast<T>((a > 0) - (a < 0));
  }

 private:
  // a / |a|. An infinite part outweighs a finite one; two of them have no direction (NaN).
  template <class T>
  CROSSDOCK_HD static T direction(T a) {
    const bool finite_re = a.re - a.re == 0, finite_im = a.im - a.im == 0;
    if (elementary::fabs(a.re) == Real<T>(INFINITY) && finite_im) return {elementary::copysign(Real<T>{1}, a.re), 0};
    if (elementary::fabs(a.im) == Real<T>(INFINITY) && finite_re) return {0, elementary::copysign(Real<T>{1}, a.im)};
    const auto size = Abs{}(a);
    return size == 0 ? T{0, 0} : T{a.re / size, a.im / size};
  }
};

struct Square {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return Multiply{}(a, a);
  }
};

struct Reciprocal {  // floating only
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    if constexpr (is_complex<T>)
      return T{1, 0} / a;
    else
      return 1 / a;
  }
};

}  // namespace crossdock::functors
