// OrderKey: elements as unsigned numbers whose order is the order of sorting: NaN above all, all NaNs alike, -0.0 and
// 0.0 alike. One type per itemsize serves every dtype of that size.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

struct OrderKey {
  std::uint64_t sign;       // the highest bit where it is flipped in all elements, else 0
  std::uint64_t magnitude;  // what is flipped besides in negative elements
  std::uint64_t infinity;   // larger magnitudes are NaN
  std::uint64_t flip;       // what is flipped in the end: all bits when descending
  bool floating;

  template <class Bits>
  CROSSDOCK_HD Bits key(Bits bits) const {
    constexpr Bits kAll = static_cast<Bits>(~Bits{0}), kSign = static_cast<Bits>(kAll / 2 + 1);
    if (floating) {
      if (static_cast<Bits>(bits & ~kSign) > static_cast<Bits>(infinity))
        return static_cast<Bits>(kAll ^ static_cast<Bits>(flip));
      if (bits == kSign) bits = 0;
    }
    const Bits negative = (bits & kSign) != 0 ? static_cast<Bits>(magnitude) : Bits{0};
    return static_cast<Bits>(bits ^ static_cast<Bits>(sign) ^ negative ^ static_cast<Bits>(flip));
  }
  template <class Bits>
  CROSSDOCK_HD Bits nan() const {
    return static_cast<Bits>(static_cast<Bits>(~Bits{0}) ^ static_cast<Bits>(flip));
  }
};

}  // namespace crossdock::cuda
