// What lets one source serve the host compiler and NVRTC: CROSSDOCK_HD, CROSSDOCK_UNROLL (before a loop with a constant
// count), fixed-width integers, the C math functions.
#pragma once

#ifdef __CUDACC_RTC__
#define CROSSDOCK_HD __device__ __forceinline__
namespace std {
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
}  // namespace std
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#define CROSSDOCK_UNROLL _Pragma("unroll")
#else
#include <math.h>

#include <cstdint>
#include <cstring>
// Always inline: an out-of-line copy would be a weak symbol, and the linker would keep one for all instruction levels.
#define CROSSDOCK_HD [[gnu::always_inline]] inline
#define CROSSDOCK_UNROLL _Pragma("GCC unroll 16")
#endif

namespace crossdock::functors {

// The bits of `value` as another type of the same size.
template <class To, class From>
CROSSDOCK_HD To bit_cast(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace crossdock::functors
