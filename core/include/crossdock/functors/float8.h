// Float8E4M3FN and Float8E5M2: 8-bit floating-point storage. Conversions round half to even, bit for bit as ml_dtypes.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

struct Float8E4M3FN {  // no infinities; 0x7f and 0xff are NaN; largest 448
  std::uint8_t bits;
};
struct Float8E5M2 {  // as IEEE; largest 57344
  std::uint8_t bits;
};

namespace float8 {

// The bits of |value|, rounded, in a format with `kMantissa` bits of mantissa and exponent bias `kBias`; not yet
// clipped.
template <int kMantissa, int kBias>
CROSSDOCK_HD std::uint32_t round(std::uint32_t magnitude) {
  constexpr int drop = 23 - kMantissa;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  const std::uint32_t normal = (magnitude - rebias + ((1u << (drop - 1)) - 1u) + ((magnitude >> drop) & 1u)) >> drop;
  // A number whose last place is the subnormals' last place: adding it rounds there.
  constexpr std::uint32_t anchor = static_cast<std::uint32_t>(127 - kBias + 1 + drop) << 23;
  const float shifted = bit_cast<float>(magnitude) + bit_cast<float>(anchor);
  const std::uint32_t subnormal = bit_cast<std::uint32_t>(shifted) - anchor;
  return magnitude < rebias + (1u << 23) ? subnormal : normal;
}

// |value| from bits of a format without specials.
template <int kMantissa, int kBias>
CROSSDOCK_HD std::uint32_t widen(std::uint32_t magnitude) {
  constexpr int shift = 23 - kMantissa;
  const std::uint32_t moved = magnitude << shift;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  const float above = bit_cast<float>(moved + rebias + (1u << 23)) - bit_cast<float>(rebias + (1u << 23));
  return magnitude < (1u << kMantissa) ? bit_cast<std::uint32_t>(above) : moved + rebias;
}

}  // namespace float8

CROSSDOCK_HD float to_float(Float8E4M3FN value) {
  const std::uint32_t magnitude = value.bits & 0x7fu, sign = static_cast<std::uint32_t>(value.bits & 0x80u) << 24;
  return bit_cast<float>(sign | (magnitude == 0x7fu ? 0x7fc00000u : float8::widen<3, 7>(magnitude)));
}

CROSSDOCK_HD float to_float(Float8E5M2 value) {
  const std::uint32_t magnitude = value.bits & 0x7fu, sign = static_cast<std::uint32_t>(value.bits & 0x80u) << 24;
  const std::uint32_t special = magnitude == 0x7cu ? 0x7f800000u : 0x7fc00000u;
  return bit_cast<float>(sign | (magnitude >= 0x7cu ? special : float8::widen<2, 15>(magnitude)));
}

// Overflow and infinities give NaN.
CROSSDOCK_HD Float8E4M3FN to_float8_e4m3fn(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const std::uint32_t rounded = float8::round<3, 7>(magnitude);
  const bool fits = magnitude <= 0x43e80000u;  // 464 rounds to 448 (even)
  return {static_cast<std::uint8_t>(((bits >> 24) & 0x80u) | (fits ? rounded : 0x7fu))};
}

// Overflow gives infinity; every NaN becomes the quiet one of its sign.
CROSSDOCK_HD Float8E5M2 to_float8_e5m2(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const std::uint32_t rounded = float8::round<2, 15>(magnitude);
  const std::uint32_t special = magnitude > 0x7f800000u ? 0x7eu : 0x7cu;
  const bool fits = magnitude < 0x47700000u;  // 61440 rounds to infinity (even)
  return {static_cast<std::uint8_t>(((bits >> 24) & 0x80u) | (fits ? rounded : special))};
}

}  // namespace crossdock::functors
