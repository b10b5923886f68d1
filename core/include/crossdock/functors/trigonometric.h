// Circular and hyperbolic functions, their inverses, and functions of two coordinates.
#pragma once

#include "crossdock/functors/complex_elementary.h"

namespace crossdock::functors {

#define CROSSDOCK_UNARY(Name, name)        \
  struct Name {                            \
    template <class T>                     \
    CROSSDOCK_HD T operator()(T a) const { \
      return elementary::name(a);          \
    }                                      \
  };
#define CROSSDOCK_BINARY(Name, name)            \
  struct Name {                                 \
    template <class T>                          \
    CROSSDOCK_HD T operator()(T a, T b) const { \
      return elementary::name(a, b);            \
    }                                           \
  };

CROSSDOCK_UNARY(Sin, sin)
CROSSDOCK_UNARY(Cos, cos)
CROSSDOCK_UNARY(Tan, tan)
CROSSDOCK_UNARY(Asin, asin)
CROSSDOCK_UNARY(Acos, acos)
CROSSDOCK_UNARY(Atan, atan)
CROSSDOCK_UNARY(Sinh, sinh)
CROSSDOCK_UNARY(Cosh, cosh)
CROSSDOCK_UNARY(Tanh, tanh)
CROSSDOCK_UNARY(Asinh, asinh)
CROSSDOCK_UNARY(Acosh, acosh)
CROSSDOCK_UNARY(Atanh, atanh)
CROSSDOCK_BINARY(Atan2, atan2)
CROSSDOCK_BINARY(Hypot, hypot)
CROSSDOCK_BINARY(CopySign, copysign)

#undef CROSSDOCK_UNARY
#undef CROSSDOCK_BINARY

}  // namespace crossdock::functors
