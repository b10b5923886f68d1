// The C math functions of float and double under one name each: elementary::sin(x).
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors::elementary {

#define CROSSDOCK_UNARY(name)                               \
  CROSSDOCK_HD float name(float a) { return ::name##f(a); } \
  CROSSDOCK_HD double name(double a) { return ::name(a); }
#define CROSSDOCK_BINARY(name)                                          \
  CROSSDOCK_HD float name(float a, float b) { return ::name##f(a, b); } \
  CROSSDOCK_HD double name(double a, double b) { return ::name(a, b); }

CROSSDOCK_HD float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
CROSSDOCK_HD double fma(double a, double b, double c) { return ::fma(a, b, c); }

CROSSDOCK_UNARY(fabs)
CROSSDOCK_UNARY(floor)
CROSSDOCK_UNARY(ceil)
CROSSDOCK_UNARY(trunc)
CROSSDOCK_UNARY(rint)
CROSSDOCK_UNARY(sqrt)
CROSSDOCK_UNARY(exp)
CROSSDOCK_UNARY(expm1)
CROSSDOCK_UNARY(log)
CROSSDOCK_UNARY(log1p)
CROSSDOCK_UNARY(log2)
CROSSDOCK_UNARY(log10)
CROSSDOCK_UNARY(sin)
CROSSDOCK_UNARY(cos)
CROSSDOCK_UNARY(tan)
CROSSDOCK_UNARY(asin)
CROSSDOCK_UNARY(acos)
CROSSDOCK_UNARY(atan)
CROSSDOCK_UNARY(sinh)
CROSSDOCK_UNARY(cosh)
CROSSDOCK_UNARY(tanh)
CROSSDOCK_UNARY(asinh)
CROSSDOCK_UNARY(acosh)
CROSSDOCK_UNARY(atanh)
CROSSDOCK_BINARY(fmod)
CROSSDOCK_BINARY(copysign)
CROSSDOCK_BINARY(pow)
CROSSDOCK_BINARY(atan2)
CROSSDOCK_BINARY(hypot)
CROSSDOCK_BINARY(nextafter)

#undef CROSSDOCK_UNARY
#undef CROSSDOCK_BINARY

}  // namespace crossdock::functors::elementary
