#include <cstring>
#include <memory>

#include "element.h"
#include "indexing.h"
#include "rows.h"

namespace crossdock::native {

namespace {

// A piece of the mask: how many are not zero, and where their numbers go.
struct Piece {
  std::int64_t begin, end;
  std::int64_t* out = nullptr;
  std::int64_t* out_end = nullptr;
};

std::uint64_t load8(const std::byte* at) noexcept {
  std::uint64_t eight;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

// 1 in each byte that is not zero.
std::uint64_t ones(std::uint64_t eight) noexcept {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  return (((eight & kLow) + kLow) | eight) >> 7 & 0x0101010101010101;
}

std::int64_t count_row(const std::byte* mask, std::int64_t stride, std::int64_t n) noexcept {
  std::int64_t count = 0, i = 0;
  if (stride == 1) {
    while (i + 8 <= n) {
      // Up to 255 in each of eight counters.
      std::uint64_t sums = 0;
      for (int step = 0; step < 255 && i + 8 <= n; ++step, i += 8) sums += ones(load8(mask + i));
      constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
      sums = (sums & kEven) + (sums >> 8 & kEven);
      count += static_cast<std::int64_t>((sums * 0x0001000100010001) >> 48);
    }
  }
  for (; i < n; ++i) count += mask[i * stride] != std::byte{0};
  return count;
}

// Numbers first, first + step, ... of those that are not zero.
void write_row(const std::byte* mask, std::int64_t stride, std::int64_t n, std::int64_t first, std::int64_t step,
               Piece& piece) noexcept {
  std::int64_t i = 0;
  std::int64_t* out = piece.out;
  if (stride == 1) {
    // Without branches on the mask: what is written in vain is overwritten, inside of this piece's own room.
    for (; i + 8 <= n && piece.out_end - out >= 8; i += 8) {
      if (load8(mask + i) == 0) continue;
      for (int k = 0; k < 8; ++k) {
        *out = first + (i + k) * step;
        out += mask[i + k] != std::byte{0};
      }
    }
  }
  for (; i < n && out < piece.out_end; ++i) {
    if (mask[i * stride] != std::byte{0}) *out++ = first + i * step;
  }
  piece.out = out;
}

}  // namespace

void nonzero(const Launch& launch) {
  // The second operand has no data: its strides are the numbers' steps, walked from an address that stands for 0.
  std::byte zero{};
  Launch numbered = launch;
  numbered.operands[1].data = &zero;
  const Nest nest(numbered, 0, launch.shape.size(), 0, 2, true);
  auto* const out = reinterpret_cast<std::int64_t*>(launch.output().data);
  const std::int64_t room = launch.integers[0];
  if (nest.size == 0 || room == 0) return;

  constexpr std::int64_t kPiece = 256 * 1024;
  const std::int64_t count = num_threads() == 1 ? 1 : (nest.size + kPiece - 1) / kPiece;
  const std::unique_ptr<Piece[]> pieces(new Piece[static_cast<std::size_t>(count)]);
  const std::unique_ptr<std::int64_t[]> counts(new std::int64_t[static_cast<std::size_t>(count)]());
  for (std::int64_t i = 0; i < count; ++i) {
    pieces[i].begin = nest.size / count * i;
    pieces[i].end = i + 1 == count ? nest.size : nest.size / count * (i + 1);
  }
  const auto for_pieces = [&](const auto& work) {
    parallel_for(count, 1, [&](std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) work(first);
    });
  };
  if (count > 1) {
    for_pieces([&](std::int64_t i) {
      const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
        counts[i] += count_row(p[0], s[0], n);
      };
      for_rows(nest, pieces[i].begin, pieces[i].end, nest.pointers, row);
    });
  }
  // Somebody may have changed the mask since its elements were counted for `room`.
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    pieces[i].out = out + std::min(at, room);
    at += counts[i];
    pieces[i].out_end = i + 1 == count ? out + room : out + std::min(at, room);
  }
  for_pieces([&](std::int64_t i) {
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      write_row(p[0], s[0], n, p[1] - &zero, s[1], pieces[i]);
    };
    for_rows(nest, pieces[i].begin, pieces[i].end, nest.pointers, row);
    std::fill(pieces[i].out, pieces[i].out_end, 0);
  });
}

}  // namespace crossdock::native
