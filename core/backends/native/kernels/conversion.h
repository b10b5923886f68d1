// Conversion: how one dtype becomes another: one inner loop, or up to three through dtypes in between.
#pragma once

#include "loop_table.h"

namespace crossdock::native {

class Conversion {
 public:
  Conversion(Dtype from, Dtype to) noexcept;
  // The same elements in other places.
  static Conversion moving(std::int64_t itemsize) noexcept { return Conversion(itemsize); }
  // A row, as a Loop: pointers and strides of source and target.
  void operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const;
  void operator()(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
                  std::int64_t n) const;
  // The loop, where there is only one.
  Loop direct() const noexcept { return count_ == 1 ? loops_[0] : nullptr; }
  bool moves() const noexcept { return moves_; }
  std::int64_t from_itemsize() const noexcept { return from_itemsize_; }
  std::int64_t to_itemsize() const noexcept { return itemsizes_[count_ - 1]; }

 private:
  static constexpr int kMaxLoops = 3;
  explicit Conversion(std::int64_t itemsize) noexcept;
  void run(const std::byte* from, std::byte* to, std::int64_t n) const;

  int count_ = 0;
  bool moves_ = false;
  std::int64_t from_itemsize_;
  Loop loops_[kMaxLoops];
  std::int64_t itemsizes_[kMaxLoops];  // of what each loop writes
};

}  // namespace crossdock::native
