// nextafter: the neighbour of a number in the direction of another, in its own format.
#pragma once

#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/elementary.h"
#include "crossdock/functors/float16.h"

namespace crossdock::functors {

struct NextAfter {
  CROSSDOCK_HD float operator()(float a, float b) const { return elementary::nextafter(a, b); }
  CROSSDOCK_HD double operator()(double a, double b) const { return elementary::nextafter(a, b); }
  CROSSDOCK_HD Float16 operator()(Float16 a, Float16 b) const { return step(a, b); }
  CROSSDOCK_HD BFloat16 operator()(BFloat16 a, BFloat16 b) const { return step(a, b); }

 private:
  // Bits of sign and magnitude: away from zero is one more, towards it one less.
  template <class Half>
  CROSSDOCK_HD static Half step(Half a, Half b) {
    const float from = to_float(a), to = to_float(b);
    if (from != from) return a;
    if (to != to || from == to) return b;
    if (from == 0) return {static_cast<std::uint16_t>((b.bits & 0x8000u) | 1u)};
    const bool away = (to > from) == (from > 0);
    return {static_cast<std::uint16_t>(away ? a.bits + 1u : a.bits - 1u)};
  }
};

}  // namespace crossdock::functors
