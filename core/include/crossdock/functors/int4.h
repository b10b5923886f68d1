// Int4 and UInt4: 4-bit integers, one in each byte's low half. Conversions from integers keep the low four bits.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

struct Int4 {
  std::uint8_t bits;
};
struct UInt4 {
  std::uint8_t bits;
};

CROSSDOCK_HD std::int8_t to_int8(Int4 value) { return static_cast<std::int8_t>(((value.bits & 15) ^ 8) - 8); }
CROSSDOCK_HD std::uint8_t to_uint8(UInt4 value) { return value.bits & 15; }
// The high half repeats the sign, as ml_dtypes stores it.
CROSSDOCK_HD Int4 to_int4(std::int8_t value) {
  return {static_cast<std::uint8_t>(to_int8(Int4{static_cast<std::uint8_t>(value)}))};
}
CROSSDOCK_HD UInt4 to_uint4(std::uint8_t value) { return {static_cast<std::uint8_t>(value & 15)}; }

}  // namespace crossdock::functors
