// QuickSort: unsigned keys in order, by the CPU's vectorised sort, on several threads where they are many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "crossdock/runtime/thread_pool.h"
#include "loop_table.h"

namespace crossdock::native {

// Not stable: for keys that are all there is of an element.
template <class Key>
class QuickSort {
 public:
  // `threads`: how many may work on one call.
  explicit QuickSort(std::int64_t threads) noexcept : threads_(threads) {}

  static bool available() noexcept {
    return (sizeof(Key) == 4 || sizeof(Key) == 8) && loops().key_sort[sizeof(Key) == 8].sort != nullptr;
  }
  // How many keys of scratch `n` keys take.
  static std::int64_t room(std::int64_t n) noexcept { return n + kMostPieces * kGap; }

  void operator()(Key* keys, Key* scratch, std::int64_t n) const {
    if (std::is_sorted(keys, keys + n)) return;
    if (std::adjacent_find(keys, keys + n, std::less_equal<>{}) == keys + n) return std::reverse(keys, keys + n);
    const KeySort& sorter = loops().key_sort[sizeof(Key) == 8];
    const std::vector<Piece> pieces = split(sorter, keys, scratch, n);
    for_pieces(pieces, [&](std::size_t i, const Piece& piece) {
      sorter.sort(bytes(keys + piece.begin), bytes(scratch + piece.begin) + i * kGap * sizeof(Key), piece.n);
    });
  }

 private:
  struct Piece {
    std::int64_t begin, n;
  };
  static constexpr std::int64_t kChunk = 1 << 15;  // keys worth a thread's while
  static constexpr std::int64_t kMostPieces = 64, kGap = 64 / sizeof(Key);

  static std::byte* bytes(Key* keys) noexcept { return reinterpret_cast<std::byte*>(keys); }
  template <class Body>
  static void for_pieces(const std::vector<Piece>& pieces, Body&& body) {
    parallel_for(std::ssize(pieces), 1, [&](std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) {
        const auto i = static_cast<std::size_t>(first);
        body(i, pieces[i]);
      }
    });
  }

  // Pieces that follow one another, several for each thread, as they differ in length.
  std::vector<Piece> split(const KeySort& sorter, Key* keys, Key* scratch, std::int64_t n) const {
    std::vector<Piece> pieces{{0, n}};
    const std::int64_t enough = threads_ == 1 ? 1 : std::min(kMostPieces / 2, 4 * threads_);
    for (std::int64_t longest = n; std::ssize(pieces) < enough && longest >= 2 * kChunk;) {
      std::vector<std::int64_t> places(pieces.size());
      for_pieces(pieces, [&](std::size_t i, const Piece& piece) {
        places[i] = piece.n < kChunk ? piece.n
                                     : sorter.split(bytes(keys + piece.begin),
                                                    bytes(scratch + piece.begin) + i * kGap * sizeof(Key), piece.n);
      });
      std::vector<Piece> next;
      longest = 0;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto [begin, count] = pieces[i];
        next.push_back({begin, places[i]});
        if (places[i] == count) continue;
        next.push_back({begin + places[i], count - places[i]});
        longest = std::max({longest, places[i], count - places[i]});
      }
      pieces = std::move(next);
    }
    return pieces;
  }

  std::int64_t threads_;
};

}  // namespace crossdock::native
