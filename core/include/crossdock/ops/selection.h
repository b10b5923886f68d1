// Elements chosen by their indices (array API standard, "Indexing Functions", "Searching Functions"). Fresh arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "crossdock/array/array.h"

namespace crossdock {

// The elements at `indices` along an axis, which may be absent when there is one only. DimensionError, IndexError.
Array take(const Array& array, const Array& indices, std::optional<std::int64_t> axis);
// out[..., i, ...] = array[..., indices[..., i, ...], ...]; the other dimensions broadcast.
Array take_along_axis(const Array& array, const Array& indices, std::int64_t axis);
// For each dimension the int64 indices of the elements that are not zero, in C order. Waits on an accelerator.
std::vector<Array> nonzero(const Array& array);
// int64.
Array count_nonzero(const Array& array, const std::optional<Dims>& axes, bool keepdims);
// Each element `repeats` times along an axis; without one all are flattened first.
Array repeat(const Array& array, std::int64_t repeats, std::optional<std::int64_t> axis);
// Each element as often as its entry in `repeats` says (one for all, or as many as there are). Waits on an accelerator.
Array repeat(const Array& array, const Array& repeats, std::optional<std::int64_t> axis);

}  // namespace crossdock
