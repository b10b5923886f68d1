// Statistics beyond plain reductions (array API standard, "Statistical Functions", "Utility Functions"). Fresh arrays.
#pragma once

#include <cstdint>
#include <optional>

#include "crossdock/array/array.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

// cumulative_sum or cumulative_prod along `axis` (which may be absent for one dimension), in `accumulation_dtype`;
// `include_initial`: the identity comes first. DimensionError for a 0-d array, or an absent axis of several.
Array accumulate(Op op, const Array& array, std::optional<std::int64_t> axis, std::optional<Dtype> dtype,
                 bool include_initial);

// Real floating dtypes, computed in float64. The squared deviations from the mean, summed and divided by their count
// less `correction`; NaN where that is not positive.
Array var(const Array& array, const std::optional<Dims>& axes, double correction, bool keepdims);
Array standard_deviation(const Array& array, const std::optional<Dims>& axes, double correction, bool keepdims);

// The n-th differences of neighbours along `axis`, of `prepend`, `array` and `append` joined there.
Array diff(const Array& array, std::int64_t axis, std::int64_t n, const Array* prepend, const Array* append);

}  // namespace crossdock
