// Float16 (IEEE binary16): storage for 16 bits; computed with as float. Conversions round half to even.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

struct Float16 {
  std::uint16_t bits;
};

// Exact. Signalling NaNs become quiet and keep their payload, as the hardware's conversion does it on CPUs.
CROSSDOCK_HD float to_float(Float16 half) {
#ifdef __CUDACC_RTC__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  const std::uint32_t quiet = ((half.bits & 0x8000u) << 16) | ((half.bits & 0x7fffu) << 13) | 0x7fc00000u;
  return value != value ? bit_cast<float>(quiet) : value;
#else
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half.bits & 0x7fffu) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t normal = magnitude + (112u << 23);
  const std::uint32_t special = magnitude | 0x7f800000u | (magnitude > (0x7c00u << 13) ? 0x400000u : 0u);
  // A subnormal is its mantissa above 2^-14, less 2^-14.
  const float above = bit_cast<float>(magnitude + (113u << 23)) - bit_cast<float>(113u << 23);
  const std::uint32_t finite = magnitude < (0x400u << 13) ? bit_cast<std::uint32_t>(above) : normal;
  return bit_cast<float>(sign | (magnitude >= (0x7c00u << 13) ? special : finite));
#endif
}

// Overflow gives infinity.
CROSSDOCK_HD Float16 to_float16(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
#ifdef __CUDACC_RTC__
  std::uint16_t nearest;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(nearest) : "f"(value));
  return {value != value ? static_cast<std::uint16_t>(sign | nan) : nearest};
#else
  // Rebias the exponent by -112, add half of the last place less one, and one more when the last place is odd.
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // Adding 0.5 leaves the mantissa of a subnormal in the lowest bits, rounded by the adder.
  const float shifted = bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal = bit_cast<std::uint32_t>(shifted) - bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  const std::uint32_t real = magnitude >= 0x477ff000u ? 0x7c00u : finite;  // 65520 and more
  return {static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000u ? nan : real))};
#endif
}

// Rounded once: rounding to odd as float first keeps what the second rounding must know.
CROSSDOCK_HD Float16 to_float16(double value) {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = bit_cast<std::uint32_t>(nearest);
  const double back = static_cast<double>(nearest);
  const bool inexact = (back != value) & (value == value) & ((bits & 1u) == 0);
  const bool too_large = (value < 0 ? back < value : back > value);
  const std::uint32_t odd = too_large ? bits - 1u : bits + 1u;
  return to_float16(bit_cast<float>(inexact ? odd : bits));
}

}  // namespace crossdock::functors
