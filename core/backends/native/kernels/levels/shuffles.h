// Permutations of two vectors' lanes that interleave, separate, reverse and transpose.
#pragma once

#include "vectors.h"

namespace crossdock::native {
namespace {

template <class T>
inline constexpr int kVectorLanes = CROSSDOCK_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <class T>
struct IndexOf;
template <>
struct IndexOf<float> {
  using type = std::int32_t;
};
template <>
struct IndexOf<double> {
  using type = std::int64_t;
};

// The masks must be literal: others become slow code.
#define CROSSDOCK_SHUFFLE(word, two, four, eight, sixteen)                 \
  template <class T>                                                       \
  [[gnu::always_inline]] inline Vector<T> word(Vector<T> a, Vector<T> b) { \
    using Mask = Vector<typename IndexOf<T>::type>;                        \
    if constexpr (kVectorLanes<T> == 2)                                    \
      return __builtin_shuffle(a, b, Mask two);                            \
    else if constexpr (kVectorLanes<T> == 4)                               \
      return __builtin_shuffle(a, b, Mask four);                           \
    else if constexpr (kVectorLanes<T> == 8)                               \
      return __builtin_shuffle(a, b, Mask eight);                          \
    else                                                                   \
      return __builtin_shuffle(a, b, Mask sixteen);                        \
  }
#define CROSSDOCK_LIST(...) {__VA_ARGS__}

CROSSDOCK_SHUFFLE(evens, CROSSDOCK_LIST(0, 2), CROSSDOCK_LIST(0, 2, 4, 6), CROSSDOCK_LIST(0, 2, 4, 6, 8, 10, 12, 14),
                  CROSSDOCK_LIST(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30))
CROSSDOCK_SHUFFLE(odds, CROSSDOCK_LIST(1, 3), CROSSDOCK_LIST(1, 3, 5, 7), CROSSDOCK_LIST(1, 3, 5, 7, 9, 11, 13, 15),
                  CROSSDOCK_LIST(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31))
CROSSDOCK_SHUFFLE(low_pairs, CROSSDOCK_LIST(0, 2), CROSSDOCK_LIST(0, 4, 1, 5), CROSSDOCK_LIST(0, 8, 1, 9, 2, 10, 3, 11),
                  CROSSDOCK_LIST(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
CROSSDOCK_SHUFFLE(high_pairs, CROSSDOCK_LIST(1, 3), CROSSDOCK_LIST(2, 6, 3, 7),
                  CROSSDOCK_LIST(4, 12, 5, 13, 6, 14, 7, 15),
                  CROSSDOCK_LIST(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
CROSSDOCK_SHUFFLE(backwards, CROSSDOCK_LIST(1, 0), CROSSDOCK_LIST(3, 2, 1, 0), CROSSDOCK_LIST(7, 6, 5, 4, 3, 2, 1, 0),
                  CROSSDOCK_LIST(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))

#undef CROSSDOCK_LIST
#undef CROSSDOCK_SHUFFLE

template <class T>
[[gnu::always_inline]] inline Vector<T> reversed(Vector<T> a) {
  return backwards<T>(a, a);
}

// As many vectors as each has lanes, by perfect shuffles: each moves one bit of the lane to the row.
template <class T>
[[gnu::always_inline]] inline void transpose_lanes(Vector<T> (&rows)[kVectorLanes<T>]) {
  constexpr int n = kVectorLanes<T>;
#pragma GCC unroll 4
  for (int step = 1; step < n; step *= 2) {
    Vector<T> next[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = low_pairs<T>(rows[i], rows[i + n / 2]);
      next[2 * i + 1] = high_pairs<T>(rows[i], rows[i + n / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
}

}  // namespace
}  // namespace crossdock::native
