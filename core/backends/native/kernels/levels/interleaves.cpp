// A few rows interleaved: the transposition of a matrix whose columns are shorter than a vector.
#include "lanes.h"
#include "level.h"

namespace crossdock::native {
namespace {

// Element i of vector `part` of the result is element i' / count of row i' % count, where i' counts from the first
// part. Rows are taken in two at a time: `First` of rows 0 and 1, `Then` of those and row 2.
template <int n, int count, int part>
struct First {
  static constexpr int at(int i) {
    const int place = part * n + i;
    return place % count < 2 ? place % count * n + place / count : 0;
  }
};
template <int n, int count, int part>
struct Then {
  static constexpr int at(int i) {
    const int place = part * n + i;
    return place % count < 2 ? i : n + place / count;
  }
};
// Of four rows the last two are taken as the first two are, and then joined.
template <int n, int part>
struct LastTwo {
  static constexpr int at(int i) {
    const int place = part * n + i;
    return place % 4 < 2 ? 0 : (place % 4 - 2) * n + place / 4;
  }
};
template <int n, int part>
struct Join {
  static constexpr int at(int i) { return (part * n + i) % 4 < 2 ? i : n + i; }
};

// Small elements in short vectors: general permutations of many are slow.
template <class T>
inline constexpr int kBytes = sizeof(T) <= 2 ? 16 : CROSSDOCK_VECTOR_BYTES;

template <class T, int count, int part, class V>
[[gnu::always_inline]] inline void store_part(const V (&rows)[count], std::byte* to) {
  constexpr int n = kBytes<T> / static_cast<int>(sizeof(T));
  V whole = shuffle<T, First<n, count, part>>(rows[0], rows[1]);
  if constexpr (count == 3) whole = shuffle<T, Then<n, count, part>>(whole, rows[2]);
  if constexpr (count == 4) whole = shuffle<T, Join<n, part>>(whole, shuffle<T, LastTwo<n, part>>(rows[2], rows[3]));
  store<V>(to + part * kBytes<T>, whole);
  if constexpr (part + 1 < count) store_part<T, count, part + 1>(rows, to);
}

template <class T, int count>
void interleave(const std::byte* from, std::int64_t pitch, std::byte* to, std::int64_t columns) {
  constexpr std::int64_t size = sizeof(T), n = kBytes<T> / size;
  using V = Vector<T, kBytes<T>>;
  std::int64_t column = 0;
  for (; column + n <= columns; column += n) {
    V rows[count];
#pragma GCC unroll 4
    for (int row = 0; row < count; ++row) rows[row] = load<V>(from + row * pitch + column * size);
    store_part<T, count, 0>(rows, to + column * count * size);
  }
  for (; column < columns; ++column) {
    for (int row = 0; row < count; ++row)
      store<T>(to + (column * count + row) * size, load<T>(from + row * pitch + column * size));
  }
}

template <class T>
void set(LoopTable& table) {
  table.interleave[2][sizeof(T)] = &interleave<T, 2>;
  table.interleave[3][sizeof(T)] = &interleave<T, 3>;
  table.interleave[4][sizeof(T)] = &interleave<T, 4>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_interleaves(LoopTable& table) {
  set<std::uint8_t>(table);
  set<std::uint16_t>(table);
  set<std::uint32_t>(table);
  set<std::uint64_t>(table);
}

}  // namespace crossdock::native
