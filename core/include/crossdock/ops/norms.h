// Norms (array API standard, "Linear Algebra Functions"): fresh arrays of the real dtype, of floating-point arrays.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "crossdock/array/array.h"

namespace crossdock {

// sum(|x| ** ord) ** (1 / ord) over `axes`, or all; the largest (smallest) |x| for (-)inf, how many are not zero for 0.
// float16 and bfloat16 are added up in float32. ValueError for the smallest of nothing, and for NaN.
Array vector_norm(const Array& x, const std::optional<Dims>& axes, bool keepdims, double ord);

enum class MatrixNorm { frobenius, nuclear };
// Of the last two dimensions: these, or largest (smallest) sum of a column for (-)1, of a row for (-)inf, singular
// value for (-)2. ValueError for other numbers.
Array matrix_norm(const Array& x, bool keepdims, std::variant<MatrixNorm, double> ord);

}  // namespace crossdock
