// Transpositions of blocks in registers, by the size of an element.
#include "lanes.h"

namespace crossdock::native {
namespace {

// Interleaves the lower or upper halves of each 16 bytes of two vectors of `bytes` bytes.
template <int size, int bytes, bool upper>
struct Unpack {
  static constexpr int at(int i) {
    constexpr int part = 16 / size;
    return i / part * part + i % part / 2 + (upper ? part / 2 : 0) + i % 2 * (bytes / size);
  }
};

// `parts` blocks of 16 bytes of columns by as many rows, one below the other, whose columns become whole vectors.
// Perfect shuffles: each moves one bit of the column to the row.
template <class T, int parts, bool streams>
[[gnu::always_inline]] inline void transpose_block(const std::byte* from, std::int64_t from_pitch, std::byte* to,
                                                   std::int64_t to_pitch) {
  constexpr int n = 16 / sizeof(T), bytes = 16 * parts;
  using V = Vector<T, bytes>;
  V rows[n];
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) rows[i] = load_parts<V>(from + i * from_pitch, n * from_pitch);
#pragma GCC unroll 4
  for (int step = 1; step < n; step *= 2) {
    V next[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = shuffle<T, Unpack<sizeof(T), bytes, false>>(rows[i], rows[i + n / 2]);
      next[2 * i + 1] = shuffle<T, Unpack<sizeof(T), bytes, true>>(rows[i], rows[i + n / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) {
    if constexpr (streams)
      stream<V>(to + i * to_pitch, rows[i]);
    else
      store<V>(to + i * to_pitch, rows[i]);
  }
}

// 16 bytes of columns. What no block covers is done by one more that overlaps the last.
template <class T, int parts, bool streams>
[[gnu::always_inline]] inline void transpose_columns(const std::byte* from, std::int64_t from_pitch, std::byte* to,
                                                     std::int64_t to_pitch, std::int64_t rows) {
  constexpr std::int64_t size = sizeof(T), extent = 16 * parts / size;
  std::int64_t row = 0;
  for (; row + extent <= rows; row += extent)
    transpose_block<T, parts, streams>(from + row * from_pitch, from_pitch, to + row * size, to_pitch);
  if (row == rows) return;
  row = rows - extent;
  transpose_block<T, parts, false>(from + row * from_pitch, from_pitch, to + row * size, to_pitch);
}

template <class T, bool streams>
void transpose(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, std::int64_t rows,
               std::int64_t columns) {
  constexpr std::int64_t size = sizeof(T), extent = 16 / size;
  constexpr int parts = CROSSDOCK_VECTOR_BYTES / 16;
  if (rows < extent || columns < extent) {
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row)
        store<T>(to + column * to_pitch + row * size, load<T>(from + row * from_pitch + column * size));
    }
    return;
  }
  for (std::int64_t next = 0; next < columns; next += extent) {
    const std::int64_t column = next + extent <= columns ? next : columns - extent;
    const std::byte* source = from + column * size;
    std::byte* target = to + column * to_pitch;
    if (rows >= parts * extent)
      transpose_columns<T, parts, streams>(source, from_pitch, target, to_pitch, rows);
    else if (parts == 4 && rows >= 2 * extent)
      transpose_columns<T, parts / 2 + (parts == 1), false>(source, from_pitch, target, to_pitch, rows);
    else
      transpose_columns<T, 1, false>(source, from_pitch, target, to_pitch, rows);
  }
}

// An element of 16 bytes is a part of a vector.
template <bool streams>
void transpose16(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch,
                 std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t parts = CROSSDOCK_VECTOR_BYTES / 16;
  using V = Vector<std::uint64_t>;
  using Part = Vector<std::uint64_t, 16>;
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::byte* source = from + column * 16;
    std::byte* target = to + column * to_pitch;
    std::int64_t row = 0;
    for (; row + parts <= rows; row += parts) {
      const V whole = load_parts<V>(source + row * from_pitch, from_pitch);
      if constexpr (streams)
        stream<V>(target + row * 16, whole);
      else
        store<V>(target + row * 16, whole);
    }
    for (; row < rows; ++row) store<Part>(target + row * 16, load<Part>(source + row * from_pitch));
  }
}

template <class T>
void set(LoopTable& table) {
  table.transpose[sizeof(T)] = &transpose<T, false>;
  table.stream_transpose[sizeof(T)] = &transpose<T, true>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_transposes(LoopTable& table) {
  set<std::uint8_t>(table);
  set<std::uint16_t>(table);
  set<std::uint32_t>(table);
  set<std::uint64_t>(table);
  table.transpose[16] = &transpose16<false>;
  table.stream_transpose[16] = &transpose16<true>;
}

}  // namespace crossdock::native
