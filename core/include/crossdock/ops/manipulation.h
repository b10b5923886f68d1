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
// `count` places along `axis` (in [0, ndim)) from `begin`; both are the caller's to check.
Array narrow(const Array& array, int axis, std::int64_t begin, std::int64_t count);
std::vector<Array> unstack(const Array& array, std::int64_t axis);

// Fresh arrays.
Array concat(std::span<const Array> arrays, std::optional<std::int64_t> axis);  // no axis: all flattened first
Array stack(std::span<const Array> arrays, std::int64_t axis);
// Repeated as a whole along each axis; the shorter of shape and repetitions is filled up with ones in front. ValueError
// for a negative number.
Array tile(const Array& array, const Dims& repetitions);
// Places moved by `shift` and around; one shift per axis, or one for all. No axes: flattened and back.
Array roll(const Array& array, const Dims& shift, const std::optional<Dims>& axes);
// Vectors (or 0-d arrays) spread out over the grid that they are the coordinates of; `cartesian`: the first two axes
// swapped. They keep their dtypes.
std::vector<Array> meshgrid(std::span<const Array> arrays, bool cartesian);
// Matrices with zeros above (below) their k-th diagonal. DimensionError for fewer than two dimensions.
Array tril(const Array& array, std::int64_t k);
Array triu(const Array& array, std::int64_t k);

}  // namespace crossdock
