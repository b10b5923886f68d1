// Diagonals of matrices (array API standard, "Linear Algebra Functions").
#pragma once

#include <optional>

#include "crossdock/array/array.h"

namespace crossdock {

// Of the last two dimensions, `offset` above (below, when negative) the main one; a view, empty beyond the matrix.
Array diagonal(const Array& x, std::int64_t offset);
// Its sum, in the dtype that `sum` has.
Array trace(const Array& x, std::int64_t offset, std::optional<Dtype> dtype);

}  // namespace crossdock
