// How host kernels go through a nest: row by row, on several threads when it is large.
#pragma once

#include <algorithm>

#include "crossdock/runtime/nest.h"
#include "crossdock/runtime/thread_pool.h"

namespace crossdock::native {

inline constexpr std::int64_t kGrain = 32 * 1024;        // elements worth a thread's while when an operation is cheap
inline constexpr std::int64_t kCostlyGrain = 16 * 1024;  // when each element costs some tens of instructions
inline constexpr std::int64_t kCallGrain = 4 * 1024;     // when each element costs a call

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
