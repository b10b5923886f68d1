// Byte offsets that index arrays and masks lead to, and elements read and written at offsets.
#pragma once

#include <cstdint>
#include <variant>

#include "crossdock/array/array.h"

namespace crossdock {

// The byte offsets that lead to elements, from the first to the last.
struct Reach {
  std::int64_t low, high;
};
Reach reach_of(const Dims& shape, const Dims& strides, int itemsize);
inline Reach reach_of(const Array& array) { return reach_of(array.shape(), array.strides(), array.itemsize()); }

// An axis that an index array takes its elements from; `number` for the error.
struct IndexedAxis {
  std::int64_t extent, stride;
  int number;
};

// so_far (int64, may be null) + where `index` (any integer dtype) leads along the axis; broadcast, C order. IndexError
// when a place is not there.
Array index_offsets(const Array& index, const Array* so_far, const IndexedAxis& axis);

// How many elements of a mask are true; an implicit transfer `op`, which waits on an accelerator.
std::int64_t count_true(const Array& mask, const char* op);
// For each of `count` true elements, in C order, the sum of its indices times `steps`.
Array true_offsets(const Array& mask, std::int64_t count, const Dims& steps);

// What places are: byte offsets, within a reach; or indexes along an axis, of any integer dtype, and at least one.
using Along = std::variant<Reach, IndexedAxis>;

// Elements that are `places` away from where the data's strides lead, for each place of their common shape.
Array gather(const Array& data, const Array& places, const Along& along);
// The same written; the last of several values in C order stays. `values` has the target's dtype, and is not part of
// its memory.
void scatter(const Array& values, const Array& places, const Array& target, const Along& along);

}  // namespace crossdock
