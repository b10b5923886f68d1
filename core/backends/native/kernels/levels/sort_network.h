// Bitonic networks over the lanes of vectors: up to 8 vectors of keys, put in order without a branch.
#pragma once

#include "lanes.h"

namespace crossdock::native {
namespace {

template <class T>
inline constexpr int kLanes = CROSSDOCK_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <int step>
struct LanesApart {
  static constexpr int at(int lane) { return lane ^ step; }
};

template <class V>
[[gnu::always_inline]] inline V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V larger(V a, V b) {
  return a < b ? b : a;
}

// Lanes that are the upper ones of pairs `step` apart.
template <class T, class V, int bit, int... lane>
[[gnu::always_inline]] inline V upper_lanes(Indices<lane...>) {
  return V{static_cast<T>((lane & bit) != 0 ? -1 : 0)...};
}

// Each lane beside the one of lane number ^ flip: the smaller key goes to the one whose `bit` is not set.
template <class T, int flip, int bit, class V>
[[gnu::always_inline]] inline V order_lanes(V v) {
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
  const V other = shuffle<T, LanesApart<flip>>(v, v);
  const V upper = upper_lanes<T, V, bit>(Range<lanes>{});
  return upper ? larger(v, other) : smaller(v, other);
}

template <class T, int step, class V>
[[gnu::always_inline]] inline V order_steps(V v) {
  if constexpr (step == 0) {
    return v;
  } else {
    return order_steps<T, step / 2>(order_lanes<T, step, step>(v));
  }
}

// Sorts the lanes of a vector whose runs of `run` lanes are sorted.
template <class T, int run, class V>
[[gnu::always_inline]] inline V order_runs(V v) {
  if constexpr (run * sizeof(T) >= sizeof(V)) {
    return v;
  } else {
    const V merged = order_steps<T, run / 2>(order_lanes<T, 2 * run - 1, run>(v));
    return order_runs<T, 2 * run>(merged);
  }
}

// Sorts `count` vectors, a power of two; afterwards the keys rise from lane to lane and from vector to vector.
template <class T, int count, class V>
[[gnu::always_inline]] inline void order_vectors(V* v) {
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
#pragma GCC unroll 8
  for (int i = 0; i < count; ++i) v[i] = order_runs<T, 1>(v[i]);
#pragma GCC unroll 4
  for (int run = 1; run < count; run *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
      const int other = i ^ (2 * run - 1);
      if (other < i) continue;
      const V turned = shuffle<T, LanesApart<lanes - 1>>(v[other], v[other]);
      const V low = smaller(v[i], turned), high = larger(v[i], turned);
      v[i] = low;
      v[other] = shuffle<T, LanesApart<lanes - 1>>(high, high);
    }
#pragma GCC unroll 4
    for (int step = run / 2; step > 0; step /= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < count; ++i) {
        if ((i & step) != 0) continue;
        const V low = smaller(v[i], v[i + step]), high = larger(v[i], v[i + step]);
        v[i] = low;
        v[i + step] = high;
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) v[i] = order_steps<T, lanes / 2>(v[i]);
  }
}

template <class T, int count>
[[gnu::noinline]] void order_block(T* keys) {
  Vector<T> v[count];
#pragma GCC unroll 8
  for (int i = 0; i < count; ++i) v[i] = load_vector<Vector<T>>(keys + i * kLanes<T>);
  order_vectors<T, count>(v);
  __builtin_memcpy(keys, v, sizeof v);
}

// Up to kNetwork<T> keys.
template <class T>
inline constexpr int kNetwork = 8 * kLanes<T>;

template <class T>
void order_few(T* keys, std::int64_t n) {
  constexpr std::int64_t lanes = kLanes<T>;
  if (n < 2) return;
  alignas(64) T padded[kNetwork<T>];
  const std::int64_t count = n <= lanes ? 1 : n <= 2 * lanes ? 2 : n <= 4 * lanes ? 4 : 8;
  __builtin_memcpy(padded, keys, static_cast<std::size_t>(n) * sizeof(T));
  for (std::int64_t i = n; i < count * lanes; ++i) padded[i] = static_cast<T>(-1);  // as large as the largest
  if (count == 1) {
    order_block<T, 1>(padded);
  } else if (count == 2) {
    order_block<T, 2>(padded);
  } else if (count == 4) {
    order_block<T, 4>(padded);
  } else {
    order_block<T, 8>(padded);
  }
  __builtin_memcpy(keys, padded, static_cast<std::size_t>(n) * sizeof(T));
}

}  // namespace
}  // namespace crossdock::native
