// Vectors of any element size as sequences of bytes: shuffles with computed masks, loads in parts, streaming stores.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "vectors.h"

namespace crossdock::native {
namespace {

template <int...>
struct Indices {};
template <int n>
using Range = Indices<__integer_pack(n)...>;

// result[i] = (a, b)[F::at(i)]
template <class F, class V, int... i>
[[gnu::always_inline]] inline V shuffle(V a, V b, Indices<i...>) {
  return __builtin_shufflevector(a, b, F::at(i)...);
}
template <class T, class F, class V>
[[gnu::always_inline]] inline V shuffle(V a, V b) {
  return shuffle<F>(a, b, Range<static_cast<int>(sizeof(V) / sizeof(T))>{});
}

// Pieces of 16 bytes that are `step` bytes apart, as one vector.
template <class V>
[[gnu::always_inline]] inline V load_parts(const std::byte* p, [[maybe_unused]] std::int64_t step) {
  static_assert(sizeof(V) == 16 || sizeof(V) <= CROSSDOCK_VECTOR_BYTES);
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    auto whole = _mm512_castsi128_si512(load<__m128i>(p));
    whole = _mm512_inserti32x4(whole, load<__m128i>(p + step), 1);
    whole = _mm512_inserti32x4(whole, load<__m128i>(p + 2 * step), 2);
    return (V)_mm512_inserti32x4(whole, load<__m128i>(p + 3 * step), 3);
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) {
    const auto whole = _mm256_castsi128_si256(load<__m128i>(p));
    return (V)_mm256_inserti128_si256(whole, load<__m128i>(p + step), 1);
  }
#endif
  return load<V>(p);
}

// Past the caches; `p` is aligned to the vector.
template <class V>
[[gnu::always_inline]] inline void stream(std::byte* p, V value) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)value);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)value);
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 16) return _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)value);
#endif
  store<V>(p, value);
}

}  // namespace
}  // namespace crossdock::native
