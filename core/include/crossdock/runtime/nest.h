// Nest: an elementwise launch as nested loops, made short and long: dimensions of one element dropped, sorted so that
// the innermost has the smallest strides, and merged where they lie one after the other in all operands.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock {

inline constexpr int kMaxOperands = 4;

inline std::byte* pointer(const Operand& operand) noexcept {
  return operand.data ? operand.data : const_cast<std::byte*>(operand.immediate);
}
inline std::int64_t stride(const Operand& operand, int dim) noexcept {
  return operand.data && dim < operand.strides.size() ? operand.strides[dim] : 0;
}

struct Nest {
  explicit Nest(const Launch& launch) noexcept : Nest(launch, 0, launch.shape.size(), 0, launch.noperands) {}
  // Some dimensions and some operands of a launch. `ordered`: elements must come in C order.
  Nest(const Launch& launch, int first_dim, int last_dim, int first_operand, int last_operand,
       bool ordered = false) noexcept;

  int noperands;
  int ndim = 0;           // at least 1 unless size is 0
  std::int64_t size = 1;  // elements
  std::byte* pointers[kMaxOperands];
  std::int64_t shape[kMaxNdim];
  std::int64_t strides[kMaxNdim][kMaxOperands];

 private:
  void add_dim(std::int64_t extent, const std::int64_t* dim_strides) noexcept;
  void sort() noexcept;
  void merge() noexcept;
};

// Where an element of a nest is: steps through the dimensions outside of the innermost.
class Odometer {
 public:
  Odometer(const Nest& nest, std::int64_t element) noexcept : Odometer(nest, element, nest.pointers) {}
  Odometer(const Nest& nest, std::int64_t element, std::byte* const* pointers) noexcept;
  std::int64_t index(int dim) const noexcept { return index_[dim]; }
  std::int64_t column() const noexcept { return index_[nest_.ndim - 1]; }
  std::byte* const* pointers() const noexcept { return pointers_; }
  // To the beginning of the next row.
  void next_row() noexcept;

 private:
  const Nest& nest_;
  std::byte* pointers_[kMaxOperands];
  std::int64_t index_[kMaxNdim];
};

}  // namespace crossdock
