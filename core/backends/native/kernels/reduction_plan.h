// ReductionPlan: a reduction's loops and how they are cut into tasks. The cuts depend on the shapes alone, so that the
// result does not depend on the number of threads.
#pragma once

#include "conversion.h"
#include "rows.h"

namespace crossdock::native {

inline constexpr std::int64_t kPiece = 1024;     // elements that are converted at a time
inline constexpr std::int64_t kMaxWidth = 4096;  // accumulators that are filled at a time

struct ReductionPlan {
  // `ordered`: the reduced elements must come in C order.
  ReductionPlan(const Launch& launch, bool ordered) noexcept;

  Nest reduced;  // operand: the input
  Nest kept;     // operands: the input, a second one where there is one, the output
  // Whether neighbours are reduced into one accumulator (rows), or into one each (columns).
  bool by_rows;
  std::int64_t width;   // columns: accumulators per tile
  std::int64_t tiles;   // columns: tiles per row of `kept`
  std::int64_t groups;  // outputs (rows), or tiles of outputs (columns)
  std::int64_t parts;   // of the reduced elements of each group
  std::int64_t part_size;
  std::int64_t grain;  // tasks (a part of a group each) worth a thread's while
  bool empty() const noexcept { return kept.size == 0; }

 private:
  void cut() noexcept;
};

// Where a tile of outputs is: its first input element, its outputs, and how many they are.
struct Tile {
  Tile(const ReductionPlan& plan, std::int64_t group) noexcept;
  std::byte* input;
  std::byte* second;  // the output where there is no second input
  std::byte* output;
  std::int64_t input_stride, second_stride, output_stride;
  std::int64_t width;
};

// Elements as a loop wants them, contiguous, aligned and of dtype `to`: themselves where they are so, else a copy.
class Packing {
 public:
  Packing(Dtype from, Dtype to) noexcept
      : conversion_(from, to), same_(from == to), alignment_(std::min(8, itemsize(to))), itemsize_(itemsize(to)) {}
  // Calls consume(elements, begin, n) for pieces of at most kPiece, or for all.
  template <class Consume>
  void pack(const std::byte* data, std::int64_t stride, std::int64_t n, Consume&& consume) const {
    if (same_ && stride == itemsize_ &&
        reinterpret_cast<std::uintptr_t>(data) % static_cast<std::size_t>(alignment_) == 0) {
      return consume(data, std::int64_t{0}, n);
    }
    alignas(64) std::byte copy[kPiece * 16];
    for (std::int64_t begin = 0; begin < n; begin += kPiece) {
      const std::int64_t piece = std::min(kPiece, n - begin);
      conversion_(data + begin * stride, stride, copy, itemsize_, piece);
      consume(copy, begin, piece);
    }
  }

 private:
  Conversion conversion_;
  bool same_;
  std::int64_t alignment_, itemsize_;
};

}  // namespace crossdock::native
