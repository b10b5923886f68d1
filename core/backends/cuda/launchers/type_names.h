// How the expressions that name kernels write dtypes, within namespace crossdock::cuda.
#pragma once

#include "crossdock/runtime/dtype.h"

namespace crossdock::cuda {

// What elements are stored as: "functors::Float16", "std::int32_t", "functors::Complex<float>".
const char* storage_type(Dtype dtype) noexcept;
// What they are computed with (kernels/element.h): "float" for float16.
const char* compute_type(Dtype dtype) noexcept;
// What elements of a size are moved as: "std::uint32_t", "Bytes16" (kernels/bytes.h); sizes are 1, 2, 4, 8, 16.
const char* bytes_type(int itemsize) noexcept;

}  // namespace crossdock::cuda
