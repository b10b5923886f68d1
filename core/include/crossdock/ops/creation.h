// Creation functions (array API standard, "Creation functions"). All but fill give fresh arrays in C order.
#pragma once

#include <cstdint>
#include <optional>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"

namespace crossdock {

Array full(const Dims& shape, const Scalar& value, Dtype dtype, Device& device);
// The value for all elements of an array that is there, by one launch. Writable or not is the caller's business; as
// `store` in scalar.h for a value that does not fit, and nothing has been written then.
void fill(const Array& target, const Scalar& value);
// start, start + step, ... before stop. ValueError for step 0; without dtype: int64 for integers, else float64.
Array arange(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<Dtype> dtype, Device& device);
// `count` values from start to stop, which is the last one when `endpoint`; parts of complex numbers each by itself.
// DtypeError for a dtype that is not floating-point, or is real for complex numbers. ValueError for a negative count.
Array linspace(const Scalar& start, const Scalar& stop, std::int64_t count, Dtype dtype, bool endpoint, Device& device);
// Ones on the k-th diagonal, zeros elsewhere.
Array eye(std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype dtype, Device& device);

}  // namespace crossdock
