// Products (array API standard, "Linear Algebra Functions"). All give fresh arrays and take numeric dtypes.
#pragma once

#include "crossdock/array/array.h"

namespace crossdock {

// The matrix product; 1-d arguments are vectors, leading dimensions broadcast. DimensionError naming both shapes.
Array matmul(const Array& a, const Array& b);
// Sums over pairs of axes; the other axes of a come first, then those of b. DimensionError where extents differ.
Array tensordot(const Array& a, const Array& b, const Dims& a_axes, const Dims& b_axes);
// The same over the last `count` axes of a and the first of b.
Array tensordot(const Array& a, const Array& b, std::int64_t count);
// Sum of conj(a) * b along `axis`, which counts from the end (from the beginning only where both have as many
// dimensions); other dimensions broadcast.
Array vecdot(const Array& a, const Array& b, std::int64_t axis);
// a[i] * b[j] of two 1-d arrays.
Array outer(const Array& a, const Array& b);
// The cross product of vectors of three elements along `axis`, which counts as in vecdot; other dimensions broadcast.
Array cross(const Array& a, const Array& b, std::int64_t axis);

}  // namespace crossdock
