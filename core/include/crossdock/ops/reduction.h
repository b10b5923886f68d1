// Reductions (array API standard, "Statistical functions", "Searching functions", "Utility functions").
#pragma once

#include <optional>

#include "crossdock/array/array.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

// The dtype of sums and products: `wanted`, or at least the default integer for bool and small integers. DtypeError for
// a storage dtype, a `wanted` that is not numeric or would drop imaginary parts.
Dtype accumulation_dtype(Op op, Dtype dtype, std::optional<Dtype> wanted);
// Over `axes`, or all when absent. sum, prod: in `accumulation_dtype`.
// max, min of an empty axis: ValueError. any, all: bool. Fresh; stays on the device.
Array reduce(Op op, const Array& array, const std::optional<Dims>& axes, bool keepdims,
             std::optional<Dtype> dtype = std::nullopt);
// Floating dtypes only; real ones are averaged in float64.
Array mean(const Array& array, const std::optional<Dims>& axes, bool keepdims);
// float64, dimensions kept: the squares of what `array` (real floating) differs by from `centre` (float64, of the
// result's shape), summed over `axes`, without what the centre is off from the mean.
Array squared_deviations(const Array& array, const Array& centre, const Dims& axes);
// int64 index of the first extreme, NaN being one; over all elements in C order when `axis` is absent.
Array arg_reduce(Op op, const Array& array, std::optional<std::int64_t> axis, bool keepdims);

}  // namespace crossdock
