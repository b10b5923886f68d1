#include "crossdock/array/indexing.h"

#include <algorithm>
#include <limits>
#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

// Start and length of a slice along an axis of `size` elements, as Python's slice.indices().
struct Run {
  std::int64_t start, step, length;
};

Run resolve(const Slice& slice, std::int64_t size) {
  std::int64_t step = slice.step.value_or(1);
  if (step == 0) throw ValueError("a slice's step cannot be 0");
  // The smallest 64-bit number has no negative; nothing in between makes a difference.
  step = std::max(step, -std::numeric_limits<std::int64_t>::max());
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto place = [&](std::int64_t bound) { return std::clamp(bound < 0 ? bound + size : bound, low, high); };
  const std::int64_t start = slice.start ? place(*slice.start) : (step > 0 ? 0 : size - 1);
  const std::int64_t stop = slice.stop ? place(*slice.stop) : (step > 0 ? size : -1);
  std::int64_t length = 0;
  if (step > 0 && start < stop) length = (stop - start - 1) / step + 1;
  if (step < 0 && start > stop) length = (start - stop - 1) / -step + 1;
  return {length ? start : 0, step, length};
}

void check_count(const Array& array, std::span<const Index> indexes) {
  int consumed = 0, ellipses = 0;
  for (const Index& index : indexes) {
    consumed += std::holds_alternative<std::int64_t>(index) || std::holds_alternative<Slice>(index);
    ellipses += std::holds_alternative<Ellipsis>(index);
  }
  if (ellipses > 1) throw IndexError("an index can have one ellipsis, not " + std::to_string(ellipses));
  if (consumed > array.ndim()) {
    throw IndexError("too many indices: " + std::to_string(consumed) + " for an array with " +
                     std::to_string(array.ndim()) + " dimensions");
  }
}

}  // namespace

Array index(const Array& array, std::span<const Index> indexes) {
  check_count(array, indexes);
  const auto consumes = [](const Index& i) {
    return std::holds_alternative<std::int64_t>(i) || std::holds_alternative<Slice>(i);
  };
  const int consumed = static_cast<int>(std::count_if(indexes.begin(), indexes.end(), consumes));
  // Nobody has checked the strides of an array without elements.
  const bool empty = array.size() == 0;
  const Dims unchecked = empty ? contiguous_strides(array.shape(), array.itemsize()) : Dims{};
  const Dims& steps = empty ? unchecked : array.strides();
  Dims shape, strides;
  std::int64_t offset = 0;
  int axis = 0;
  const auto keep = [&](int count) {
    for (; count > 0; --count, ++axis) {
      shape.push_back(array.shape()[axis]);
      strides.push_back(steps[axis]);
    }
  };
  for (const Index& item : indexes) {
    if (const auto* number = std::get_if<std::int64_t>(&item)) {
      const std::int64_t size = array.shape()[axis];
      if (*number < -size || *number >= size) {
        throw IndexError("index " + std::to_string(*number) + " is out of bounds for axis " + std::to_string(axis) +
                         " with size " + std::to_string(size));
      }
      offset += (*number < 0 ? *number + size : *number) * steps[axis];
      ++axis;
    } else if (const auto* slice = std::get_if<Slice>(&item)) {
      const Run run = resolve(*slice, array.shape()[axis]);
      offset += run.start * steps[axis];
      shape.push_back(run.length);
      // A run of at most one element never steps, and its step may not fit a stride.
      strides.push_back(run.length > 1 ? run.step * steps[axis] : steps[axis]);
      ++axis;
    } else if (std::holds_alternative<Ellipsis>(item)) {
      keep(array.ndim() - consumed);
    } else {
      shape.push_back(1);
      strides.push_back(array.itemsize());
    }
  }
  keep(array.ndim() - axis);
  // An empty view points at its base: no address outside the buffer is ever formed.
  if (checked_size(shape) == 0) offset = 0;
  return array.view(std::move(shape), std::move(strides), offset);
}

}  // namespace crossdock
