// Lanes: rows of a launch, side by side in a column, and moving their elements into it and out of it.
#pragma once

#include "fft_workspace.h"
#include "rows.h"

namespace crossdock::native {

// Goes through the rows of a launch, from any of them.
class RowWalk {
 public:
  RowWalk(const Nest& rows, std::int64_t begin) noexcept
      : rows_(rows), at_(rows, begin), left_(rows.shape[rows.ndim - 1] - at_.column()) {}
  std::byte* in() const noexcept { return pointer(0); }
  std::byte* out() const noexcept { return pointer(1); }
  void next() noexcept {
    if (++passed_ < left_) return;
    at_.next_row();
    passed_ = 0;
    left_ = rows_.shape[rows_.ndim - 1];
  }

 private:
  std::byte* pointer(int operand) const noexcept {
    return at_.pointers()[operand] + passed_ * rows_.strides[rows_.ndim - 1][operand];
  }
  const Nest& rows_;
  Odometer at_;
  std::int64_t left_, passed_ = 0;
};

// The next rows, up to kFourierLanes of them.
template <class T>
struct Lanes {
  static constexpr int kMost = kFourierLanes<T>;

  Lanes(RowWalk& walk, std::int64_t left) noexcept : count(static_cast<int>(left < kMost ? left : kMost)) {
    for (int lane = 0; lane < count; ++lane, walk.next()) {
      in[lane] = walk.in();
      out[lane] = walk.out();
    }
  }

  int count;
  std::byte* in[kMost];
  std::byte* out[kMost];
};

// Numbers `step` bytes apart in each row, into elements of a column `pitch` numbers apart; lanes that do not exist
// become zero. `real`: one number per element, else a complex one, whose imaginary parts lie kFourierLanes after.
template <class T>
void gather(std::byte* const* rows, int count, std::int64_t step, bool real, T* column, std::int64_t pitch,
            std::int64_t n);
template <class T>
void scatter(T* column, std::int64_t pitch, std::byte* const* rows, int count, std::int64_t step, bool real,
             std::int64_t n, T scale);

}  // namespace crossdock::native
