// Roots, exponentials, logarithms and powers.
#pragma once

#include "crossdock/functors/complex_elementary.h"
#include "crossdock/functors/traits.h"

namespace crossdock::functors {

#define CROSSDOCK_FUNCTOR(Name, name)      \
  struct Name {                            \
    template <class T>                     \
    CROSSDOCK_HD T operator()(T a) const { \
      return elementary::name(a);          \
    }                                      \
  };

CROSSDOCK_FUNCTOR(Sqrt, sqrt)
CROSSDOCK_FUNCTOR(Exp, exp)
CROSSDOCK_FUNCTOR(Expm1, expm1)
CROSSDOCK_FUNCTOR(Log, log)
CROSSDOCK_FUNCTOR(Log1p, log1p)
CROSSDOCK_FUNCTOR(Log2, log2)
CROSSDOCK_FUNCTOR(Log10, log10)

#undef CROSSDOCK_FUNCTOR

struct Pow {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_integer<T>)
      return integer(a, b);
    else
      return elementary::pow(a, b);
  }

 private:
  // By squaring. Negative exponents give the quotient rounded towards zero (ops refuse them where they can see them).
  template <class T>
  CROSSDOCK_HD static T integer(T a, T b) {
    if constexpr (is_signed<T>) {
      if (b < 0) return static_cast<T>(a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
    }
    Wrapping<T> power = 1, base = static_cast<Wrapping<T>>(a);
    for (auto left = static_cast<Wrapping<T>>(b); left; left >>= 1, base *= base) {
      if (left & 1) power *= base;
    }
    return static_cast<T>(power);
  }
};

struct LogAddExp {  // real only
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if (a == b) return a + static_cast<T>(0.69314718055994531);  // equal infinities too
    const T larger = a > b ? a : b, smaller = a > b ? b : a;
    if (larger != larger || smaller != smaller) return a + b;
    return larger + elementary::log1p(elementary::exp(smaller - larger));
  }
};

}  // namespace crossdock::functors
