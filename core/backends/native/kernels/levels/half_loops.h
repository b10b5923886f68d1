// Conversions of float16 and bfloat16, eight or sixteen at a time where the CPU has instructions for it.
#pragma once

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "elementwise.h"

namespace crossdock::native {
namespace {

struct ToBFloat16 {
  CROSSDOCK_HD functors::BFloat16 operator()(float value) const { return functors::to_bfloat16(value); }
};
struct Float16ToFloat {
  CROSSDOCK_HD float operator()(functors::Float16 value) const { return functors::to_float(value); }
};
struct ToFloat16 {
  template <class T>
  CROSSDOCK_HD functors::Float16 operator()(T value) const {
    return functors::to_float16(value);
  }
};

// Each converts the most it can from the front, and tells how many.
#if defined(__AVX512F__)
inline std::int64_t convert(const functors::Float16* a, float* r, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    _mm512_storeu_ps(r + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i))));
  }
  return i;
}
inline std::int64_t convert(const float* a, functors::Float16* r, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r + i), _mm512_cvtps_ph(_mm512_loadu_ps(a + i), 0));
  }
  return i;
}
#elif defined(__F16C__)
inline std::int64_t convert(const functors::Float16* a, float* r, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(r + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i))));
  }
  return i;
}
inline std::int64_t convert(const float* a, functors::Float16* r, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(r + i), _mm256_cvtps_ph(_mm256_loadu_ps(a + i), 0));
  }
  return i;
}
#else
inline std::int64_t convert(const functors::Float16*, float*, std::int64_t) { return 0; }
inline std::int64_t convert(const float*, functors::Float16*, std::int64_t) { return 0; }
#endif

#ifdef __F16C__
// Rounded once: float32 keeps in its last bit whether anything was lost, which is enough for it to round as float64
// would. Elements are converted to float32 in pieces.
inline std::int64_t convert(const double* a, functors::Float16* r, std::int64_t n) {
  constexpr std::int64_t piece = 256;
  alignas(64) float odd[piece];
  std::int64_t i = 0;
  while (i < n) {
    const std::int64_t m = n - i < piece ? n - i : piece;
    for (std::int64_t k = 0; k < m; ++k) {
      const double value = a[i + k];
      const float rounded = static_cast<float>(value);
      const double back = rounded;
      std::int32_t bits;
      __builtin_memcpy(&bits, &rounded, sizeof bits);
      bits -= __builtin_fabs(back) > __builtin_fabs(value);
      bits |= (back < value) | (back > value);
      __builtin_memcpy(&odd[k], &bits, sizeof bits);
    }
    const std::int64_t done = convert(odd, r + i, m);
    if (done == 0) break;
    i += done;
  }
  return i;
}
#else
inline std::int64_t convert(const double*, functors::Float16*, std::int64_t) { return 0; }
#endif

template <class F, class A, class R>
void half_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  std::int64_t done = 0;
  if (contiguous<A>(p[0], s[0]) && contiguous<R>(p[1], s[1])) done = convert(input<A>(p[0]), output<R>(p[1]), n);
  std::byte* const rest[] = {p[0] + done * s[0], p[1] + done * s[1]};
  unary_loop<F, A>(rest, s, n - done);
}

inline constexpr Loop float16_to_float_loop = &half_loop<Float16ToFloat, functors::Float16, float>;
inline constexpr Loop float_to_float16_loop = &half_loop<ToFloat16, float, functors::Float16>;
inline constexpr Loop double_to_float16_loop = &half_loop<ToFloat16, double, functors::Float16>;

}  // namespace
}  // namespace crossdock::native
