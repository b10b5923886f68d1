// Transpositions of small blocks in registers, by the size of an element.
#include "vectors.h"

namespace crossdock::native {
namespace {

template <class T>
using Quad [[gnu::vector_size(4 * sizeof(T))]] = T;
using Index4 = Quad<std::int32_t>;
using Index8 = Quad<std::int64_t>;

// Four columns of four rows. `I`: indices of shuffles of T.
template <class T, class I>
[[gnu::always_inline]] inline void transpose_quad(const std::byte* from, std::int64_t from_pitch, std::byte* to,
                                                  std::int64_t to_pitch) {
  using V = Quad<T>;
  const V a = load<V>(from), b = load<V>(from + from_pitch), c = load<V>(from + 2 * from_pitch),
          d = load<V>(from + 3 * from_pitch);
  const V ab_low = __builtin_shuffle(a, b, I{0, 4, 1, 5}), ab_high = __builtin_shuffle(a, b, I{2, 6, 3, 7});
  const V cd_low = __builtin_shuffle(c, d, I{0, 4, 1, 5}), cd_high = __builtin_shuffle(c, d, I{2, 6, 3, 7});
  store<V>(to, __builtin_shuffle(ab_low, cd_low, I{0, 1, 4, 5}));
  store<V>(to + to_pitch, __builtin_shuffle(ab_low, cd_low, I{2, 3, 6, 7}));
  store<V>(to + 2 * to_pitch, __builtin_shuffle(ab_high, cd_high, I{0, 1, 4, 5}));
  store<V>(to + 3 * to_pitch, __builtin_shuffle(ab_high, cd_high, I{2, 3, 6, 7}));
}

template <class T, class I>
void transpose(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, std::int64_t rows,
               std::int64_t columns) {
  constexpr std::int64_t size = sizeof(T);
  const std::int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (std::int64_t column = 0; column < whole_columns; column += 4) {
    for (std::int64_t row = 0; row < whole_rows; row += 4) {
      transpose_quad<T, I>(from + row * from_pitch + column * size, from_pitch, to + column * to_pitch + row * size,
                           to_pitch);
    }
  }
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = column < whole_columns ? whole_rows : 0; row < rows; ++row) {
      store<T>(to + column * to_pitch + row * size, load<T>(from + row * from_pitch + column * size));
    }
  }
}

}  // namespace

void CROSSDOCK_LEVEL::register_transposes(LoopTable& table) {
  table.transpose[4] = &transpose<std::int32_t, Index4>;
  table.transpose[8] = &transpose<std::int64_t, Index8>;
}

}  // namespace crossdock::native
