// Manipulation functions (array API standard, "Manipulation functions"). Views unless a copy is named.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crossdock/array/array.h"

namespace crossdock {

// Axes in [0, ndim): IndexError outside of [-ndim, ndim), DimensionError for one named twice; `op` names the caller.
Dims normalize_axes(const Dims& axes, int ndim, const char* op);

// One extent may be -1: what the others leave. A view where the strides allow it; `copy` true always copies, false
// never (CopyRequiredError). DimensionError naming both shapes.
Array reshape(const Array& array, Dims shape, std::optional<bool> copy = std::nullopt);
Array permute_dims(const Array& array, const Dims& axes);
Array matrix_transpose(const Array& array);
Array transpose(const Array& array);  // all axes reversed
Array expand_dims(const Array& array, const Dims& axes);
Array squeeze(const Array& array, const Dims& axes);
Array flip(const Array& array, const std::optional<Dims>& axes);
Array moveaxis(const Array& array, const Dims& source, const Dims& destination);
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);

// Fresh arrays.
Array concat(std::span<const Array> arrays, std::optional<std::int64_t> axis);  // no axis: all flattened first
Array stack(std::span<const Array> arrays, std::int64_t axis);

}  // namespace crossdock
