// Copies and selections, by the size of an element: its type does not matter.
#include "elementwise.h"
#include "lanes.h"

namespace crossdock::native {
namespace {

// An element of 16 bytes as two of 8.
struct alignas(8) Bytes16 {
  std::uint64_t low, high;
};

// Of two vectors of n elements the elements 0, 2, 4, ...
template <int n>
struct Evens {
  static constexpr int at(int i) { return 2 * i; }
};
// Every third of three: first of a and b, then those and c.
template <int n>
struct ThirdsOfTwo {
  static constexpr int at(int i) { return 3 * i < 2 * n ? 3 * i : 0; }
};
template <int n>
struct ThirdsOfThree {
  static constexpr int at(int i) { return 3 * i < 2 * n ? i : 3 * i - n; }
};
template <int n>
struct Backwards {
  static constexpr int at(int i) { return n - 1 - i; }
};

// Bytes of a vector that a step is taken in: general permutations of small elements are slow in longer ones.
template <class T, int step>
inline constexpr int kStepBytes = step == 3 && sizeof(T) <= 2 ? 16 : CROSSDOCK_VECTOR_BYTES;

// Every `step`-th element from p on, as a vector.
template <class T, int step>
[[gnu::always_inline]] inline auto load_step(const std::byte* p) {
  using V = Vector<T, kStepBytes<T, step>>;
  constexpr int bytes = sizeof(V), n = bytes / static_cast<int>(sizeof(T));
  if constexpr (step == 1) {
    return load<V>(p);
  } else if constexpr (step == 3) {
    const V two = shuffle<T, ThirdsOfTwo<n>>(load<V>(p), load<V>(p + bytes));
    return shuffle<T, ThirdsOfThree<n>>(two, load<V>(p + 2 * bytes));
  } else {
    return shuffle<T, Evens<n>>(load_step<T, step / 2>(p), load_step<T, step / 2>(p + step / 2 * bytes));
  }
}

// Gathers from a small step, forwards or backwards; reads nothing past the last element. Tells how many it did.
template <class T, int step, bool backwards>
std::int64_t gather_step(const std::byte* from, std::byte* to, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T), lanes = kStepBytes<T, step> / size;
  std::int64_t i = 0;
  if constexpr (backwards) {
    if constexpr (step > 1) {  // what lies past the first element is not ours
      store<T>(to, load<T>(from));
      i = 1;
    }
    for (; i + lanes <= n; i += lanes) {
      const auto elements = load_step<T, step>(from - (i + lanes - 1) * step * size);
      store(to + i * size, shuffle<T, Backwards<lanes>>(elements, elements));
    }
  } else {
    for (; i + lanes < n; i += lanes) store(to + i * size, load_step<T, step>(from + i * step * size));
  }
  return i;
}

template <class T>
std::int64_t gather_small_steps(const std::byte* from, std::int64_t stride, std::byte* to, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  switch (stride) {
    case -size:
      return gather_step<T, 1, true>(from, to, n);
    case 2 * size:
      return gather_step<T, 2, false>(from, to, n);
    case -2 * size:
      return gather_step<T, 2, true>(from, to, n);
    case 3 * size:
      return gather_step<T, 3, false>(from, to, n);
    case 4 * size:
      return gather_step<T, 4, false>(from, to, n);
    default:
      return 0;
  }
}
template <class T>
void fill(std::byte* to, std::int64_t stride, T value, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  if (stride == size) {
    for (std::int64_t i = 0; i < n; ++i) store<T>(to + i * size, value);
  } else {
    for (std::int64_t i = 0; i < n; ++i) store<T>(to + i * stride, value);
  }
}

template <class T>
void gather(const std::byte* from, std::int64_t stride, std::byte* to, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  std::int64_t i = 0;
  if constexpr (size < 16) i = gather_small_steps<T>(from, stride, to, n);
  for (; i + 4 <= n; i += 4) {
    const std::byte* p = from + i * stride;
    const T a = load<T>(p), b = load<T>(p + stride), c = load<T>(p + 2 * stride), d = load<T>(p + 3 * stride);
    std::byte* r = to + i * size;
    store<T>(r, a);
    store<T>(r + size, b);
    store<T>(r + 2 * size, c);
    store<T>(r + 3 * size, d);
  }
  for (; i < n; ++i) store<T>(to + i * size, load<T>(from + i * stride));
}

template <class T>
void move_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  if (n <= 0) return;
  const std::byte* from = p[0];
  std::byte* to = p[1];
  const std::int64_t step = s[0], to_step = s[1];  // a store may change s, for all the compiler knows
  if (step == 0) return fill<T>(to, to_step, load<T>(from), n);
  if (to_step == size) {
    if (step != size) return gather<T>(from, step, to, n);
    if (from != to) __builtin_memcpy(to, from, static_cast<std::size_t>(n * size));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) store<T>(to + i * to_step, load<T>(from + i * step));
}

// Whole cache lines go past the caches.
void stream_bytes(const std::byte* from, std::byte* to, std::int64_t n) {
  using V = Vector<std::uint64_t>;
  constexpr std::int64_t bytes = sizeof(V), line = 256;
  const std::int64_t head = -reinterpret_cast<std::intptr_t>(to) & 63;
  if (n < head + line) return static_cast<void>(__builtin_memcpy(to, from, static_cast<std::size_t>(n)));
  __builtin_memcpy(to, from, static_cast<std::size_t>(head));
  std::int64_t i = head;
  for (; i + line <= n; i += line) {
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < line; k += bytes) stream<V>(to + i + k, load<V>(from + i + k));
  }
  __builtin_memcpy(to + i, from + i, static_cast<std::size_t>(n - i));
}

// One value where the condition is `wanted`, elements of `other` where it is not.
template <class T, bool wanted>
[[gnu::always_inline]] inline void where_one(const std::uint8_t* condition, const T one, const T* other, T* r,
                                             std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T element = other[i];
    r[i] = (condition[i] != 0) == wanted ? one : element;
  }
}

template <class T>
void where_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  if (s[0] == 1 && contiguous<T>(p[1], s[1]) && contiguous<T>(p[2], s[2]) && contiguous<T>(p[3], s[3])) {
    const std::uint8_t* condition = input<std::uint8_t>(p[0]);
    const T *a = input<T>(p[1]), *b = input<T>(p[2]);
    T* r = output<T>(p[3]);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
      const T yes = a[i], no = b[i];
      r[i] = condition[i] ? yes : no;
    }
    return;
  }
  if (s[0] == 1 && contiguous<T>(p[3], s[3])) {
    if (s[1] == 0 && contiguous<T>(p[2], s[2])) {
      return where_one<T, true>(input<std::uint8_t>(p[0]), load<T>(p[1]), input<T>(p[2]), output<T>(p[3]), n);
    }
    if (s[2] == 0 && contiguous<T>(p[1], s[1])) {
      return where_one<T, false>(input<std::uint8_t>(p[0]), load<T>(p[2]), input<T>(p[1]), output<T>(p[3]), n);
    }
  }
  const std::byte *c = p[0], *a = p[1], *b = p[2];
  std::byte* r = p[3];
  const std::int64_t c_step = s[0], a_step = s[1], b_step = s[2], r_step = s[3];
  for (std::int64_t i = 0; i < n; ++i) {
    const bool condition = load<std::uint8_t>(c + i * c_step) != 0;
    store<T>(r + i * r_step, load<T>(condition ? a + i * a_step : b + i * b_step));
  }
}

template <class T>
void set(LoopTable& table) {
  table.move[sizeof(T)] = &move_loop<T>;
  table.where[sizeof(T)] = &where_loop<T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_moves(LoopTable& table) {
  set<std::uint8_t>(table);
  set<std::uint16_t>(table);
  set<std::uint32_t>(table);
  set<std::uint64_t>(table);
  set<Bytes16>(table);
  table.stream = &stream_bytes;
}

}  // namespace crossdock::native
