// Linear algebra (array API standard, "Linear Algebra Functions").
#pragma once

#include "crossdock/array/array.h"

namespace crossdock {

// The matrix product; 1-d arguments are vectors, leading dimensions broadcast. DimensionError naming both shapes.
Array matmul(const Array& a, const Array& b);

}  // namespace crossdock
