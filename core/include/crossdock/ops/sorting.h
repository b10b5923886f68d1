// Sorting and searching in order (array API standard 2024.12, "Sorting Functions", "Searching Functions"). Fresh arrays
// in C order. NaN is above all numbers, 0.0 and -0.0 are equal; always stable.
#pragma once

#include <cstdint>
#include <optional>

#include "crossdock/array/array.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

// Op::sort: the elements in order along `axis`; Op::argsort: their int64 indices in that order. DtypeError unless bool,
// integer or real floating-point; DimensionError for a 0-d array; IndexError for the axis.
Array sort(Op op, const Array& array, std::int64_t axis, bool descending);

// The same along the last axis of an array with one at least, complex numbers too: by real part, then by imaginary.
Array sort_any(Op op, const Array& array, bool descending = false);

// int64: before which element of 1-d, ascending `sorted` each value would come; `right`: behind the equal ones.
// `sorter`: indices that would sort it. DtypeError, DimensionError; IndexError for an index outside.
Array searchsorted(const Array& sorted, const Array& values, bool right, const std::optional<Array>& sorter);

}  // namespace crossdock
