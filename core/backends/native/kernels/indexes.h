// Indexes: integers of any dtype that count along an axis, turned into byte offsets a block at a time.
#pragma once

#include <cstdint>

#include "loop_table.h"
#include "rows.h"

namespace crossdock::native {

class Indexes {
 public:
  static constexpr std::int64_t kBlock = 512;
  // Of dtype `dtype`, along the axis that integers[0..2] of the launch describe.
  Indexes(const Launch& launch, Dtype dtype) noexcept;

  // Offsets of n <= kBlock indexes, added to those so far (may be null). IndexError for the first that is outside; then
  // `out` is all zeros, so that nothing that comes later leaves the array.
  void offsets(const std::byte* index, std::int64_t stride, const std::int64_t* so_far, std::int64_t* out,
               std::int64_t n) const;
  // IndexError for the first of n indexes that is outside.
  void check(const std::byte* index, std::int64_t stride, std::int64_t n) const;
  Dtype dtype() const noexcept { return dtype_; }
  std::int64_t extent() const noexcept { return extent_; }
  std::int64_t step() const noexcept { return step_; }

 private:
  [[noreturn]] void refuse(const std::byte* index, std::int64_t stride, std::int64_t n) const;

  OffsetLoop loop_;
  Loop move_;
  Dtype dtype_;
  std::int64_t itemsize_, extent_, step_, axis_;
};

// What gather and scatter find as operand 1: offsets, or indexes (integers[3]).
class Places {
 public:
  explicit Places(const Launch& launch) noexcept
      : indexes_(launch, launch.operands[1].dtype),
        counted_(launch.integers[3] != 0),
        low_(launch.integers[0]),
        high_(launch.integers[1]) {}
  bool counted() const noexcept { return counted_; }
  Dtype dtype() const noexcept { return indexes_.dtype(); }
  const Indexes& indexes() const noexcept { return indexes_; }

  // IndexError for the first of n places that is outside.
  void check(const std::byte* places, std::int64_t stride, std::int64_t n) const {
    counted_ ? indexes_.check(places, stride, n) : check_offsets(places, stride, n);
  }

  // Calls row(pointers, strides, n) with offsets as operand 1.
  template <class Row>
  void with_offsets(std::byte* const* p, const std::int64_t* s, std::int64_t n, Row&& row) const {
    std::int64_t offsets[Indexes::kBlock];
    const bool one_for_all = s[1] == 0;
    const std::int64_t block = one_for_all ? n : Indexes::kBlock;
    const std::int64_t step = counted_ && !one_for_all ? std::int64_t{sizeof(std::int64_t)} : s[1];
    const std::int64_t strides[] = {s[0], step, s[2]};
    for (std::int64_t begin = 0; begin < n; begin += block) {
      const std::int64_t m = std::min(block, n - begin), places = one_for_all ? 1 : m;
      std::byte* from = p[1] + begin * s[1];
      if (counted_) {
        indexes_.offsets(from, s[1], nullptr, offsets, places);
        prefetch(from, s[1] * m, s[1] * std::min(block, n - begin - m));
        from = reinterpret_cast<std::byte*>(offsets);
      } else {
        check_offsets(from, s[1], places);
      }
      std::byte* const pointers[] = {p[0] + begin * s[0], from, p[2] + begin * s[2]};
      row(pointers, strides, m);
    }
  }

 private:
  // The next block's indexes come while this one's places are waited for.
  static void prefetch(const std::byte* block, std::int64_t skip, std::int64_t nbytes) noexcept {
    constexpr std::int64_t kLine = 64;
    for (std::int64_t at = 0; at < nbytes; at += kLine) __builtin_prefetch(block + skip + at);
  }

  void check_offsets(const std::byte* offsets, std::int64_t stride, std::int64_t n) const;

  Indexes indexes_;
  bool counted_;
  std::int64_t low_, high_;  // offsets
};

}  // namespace crossdock::native
