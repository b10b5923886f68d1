// BFloat16 (the upper half of a float): storage for 16 bits; computed with as float. Conversions round half to even.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

struct BFloat16 {
  std::uint16_t bits;
};

CROSSDOCK_HD float to_float(BFloat16 value) { return bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }

// Overflow gives infinity; every NaN becomes the quiet one of its sign, as in ml_dtypes.
CROSSDOCK_HD BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return {static_cast<std::uint16_t>(value != value ? nan : rounded)};
}

}  // namespace crossdock::functors
