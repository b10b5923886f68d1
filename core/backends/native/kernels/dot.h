// Dot products: matrix products of one row and one column each, of any dtype but float16 and bfloat16, any strides.
#pragma once

#include "matrix.h"

namespace crossdock::native {

void dot(const MatrixProduct& products, Dtype dtype);

}  // namespace crossdock::native
