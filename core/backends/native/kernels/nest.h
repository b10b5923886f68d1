// Nest: an elementwise launch as nested loops, made short and long: dimensions of one element dropped, sorted so that
// the innermost has the smallest strides, and merged where they lie one after the other in all operands.
#pragma once

#include <algorithm>

#include "crossdock/runtime/kernel.h"
#include "crossdock/runtime/thread_pool.h"

namespace crossdock::native {

inline constexpr int kMaxOperands = 4;
inline constexpr std::int64_t kGrain = 32 * 1024;     // elements worth a thread's while when an operation is cheap
inline constexpr std::int64_t kCallGrain = 4 * 1024;  // when each element costs a call

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

// Calls row(pointers, strides, n) for elements [begin, end) of the nest, as if it began at `pointers`.
template <class Row>
void for_rows(const Nest& nest, std::int64_t begin, std::int64_t end, std::byte* const* pointers, Row& row) {
  const std::int64_t columns = nest.shape[nest.ndim - 1];
  const std::int64_t* strides = nest.strides[nest.ndim - 1];
  for (Odometer at(nest, begin, pointers); begin < end; at.next_row()) {
    const std::int64_t n = std::min(end - begin, columns - at.column());
    row(at.pointers(), strides, n);
    begin += n;
  }
}

template <class Row>
void for_rows(const Nest& nest, std::int64_t grain, Row& row) {
  if (nest.size == 0) return;
  parallel_for(nest.size, grain,
               [&](std::int64_t begin, std::int64_t end) { for_rows(nest, begin, end, nest.pointers, row); });
}

// Calls row(pointers, strides, n) for all elements of an elementwise launch, on several threads when they are many.
template <class Row>
void for_rows(const Launch& launch, std::int64_t grain, Row& row) {
  if (launch.shape.size() <= 1) {
    const std::int64_t n = launch.shape.size() == 0 ? 1 : launch.shape[0];
    if (n <= grain) {
      if (n == 0) return;
      std::byte* pointers[kMaxOperands];
      std::int64_t strides[kMaxOperands];
      for (int i = 0; i < launch.noperands; ++i) {
        pointers[i] = pointer(launch.operands[i]);
        strides[i] = stride(launch.operands[i], 0);
      }
      row(pointers, strides, n);
      return;
    }
  }
  const Nest nest(launch);
  for_rows(nest, grain, row);
}

}  // namespace crossdock::native
