// Basic indexing: integers, slices, ellipsis, newaxis. Always a view.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "crossdock/array/array.h"

namespace crossdock {

struct Slice {
  std::optional<std::int64_t> start, stop, step;
};
struct Ellipsis {};
struct NewAxis {};
using Index = std::variant<std::int64_t, Slice, Ellipsis, NewAxis>;

// IndexError with index, axis and size when out of bounds, when there are too many, or for a second ellipsis;
// ValueError for a slice step of 0.
Array index(const Array& array, std::span<const Index> indexes);

}  // namespace crossdock
