// Layout arithmetic: shapes and byte strides, without memory. Every size is overflow-checked.
#pragma once

#include <cstdint>
#include <utility>

#include "crossdock/runtime/dims.h"

namespace crossdock {

// Number of elements; DimensionError for a negative extent, too many dimensions, or more elements than int64 counts
// (extents of zero left out, so that strides of an empty array can be counted too).
std::int64_t checked_size(const Dims& shape);
// Bytes of a contiguous array; as checked_size, and DimensionError when they exceed int64.
std::int64_t checked_nbytes(const Dims& shape, int itemsize);

Dims contiguous_strides(const Dims& shape, int itemsize);
bool is_c_contiguous(const Dims& shape, const Dims& strides, int itemsize) noexcept;
bool is_f_contiguous(const Dims& shape, const Dims& strides, int itemsize) noexcept;

// The shape both broadcast to, or DimensionError naming both.
Dims broadcast_shapes(const Dims& a, const Dims& b);
// Strides of an array of `shape` seen as `target`: 0 in broadcast dimensions. DimensionError naming both when
// impossible.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target);

// `axis` in [0, ndim); IndexError naming axis and ndim outside [-ndim, ndim). `op` names the caller.
int normalize_axis(std::int64_t axis, int ndim, const char* op);

// Lowest and one past the highest byte that the elements touch, relative to the first element; {0, 0} when empty.
// DimensionError when it does not fit in int64.
std::pair<std::int64_t, std::int64_t> byte_extent(const Dims& shape, const Dims& strides, int itemsize);

// Strides for viewing an array as `target` without a copy; false when it cannot be.
bool reshape_strides(const Dims& shape, const Dims& strides, int itemsize, const Dims& target, Dims& out);

}  // namespace crossdock
