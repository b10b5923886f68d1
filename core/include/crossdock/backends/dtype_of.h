// dtype_of<T>: the dtype whose elements are T, for the types that kernels compute with and store.
#pragma once

#include <cstdint>

#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/complex.h"
#include "crossdock/functors/float16.h"
#include "crossdock/functors/float8.h"
#include "crossdock/functors/int4.h"
#include "crossdock/runtime/dtype.h"

namespace crossdock {

// For no other type.
template <class T>
inline constexpr Dtype dtype_of = T::has_no_dtype;

// clang-format off
template <> inline constexpr Dtype dtype_of<bool> = Dtype::bool_;
template <> inline constexpr Dtype dtype_of<std::int8_t> = Dtype::int8;
template <> inline constexpr Dtype dtype_of<std::int16_t> = Dtype::int16;
template <> inline constexpr Dtype dtype_of<std::int32_t> = Dtype::int32;
template <> inline constexpr Dtype dtype_of<std::int64_t> = Dtype::int64;
template <> inline constexpr Dtype dtype_of<std::uint8_t> = Dtype::uint8;
template <> inline constexpr Dtype dtype_of<std::uint16_t> = Dtype::uint16;
template <> inline constexpr Dtype dtype_of<std::uint32_t> = Dtype::uint32;
template <> inline constexpr Dtype dtype_of<std::uint64_t> = Dtype::uint64;
template <> inline constexpr Dtype dtype_of<functors::Float16> = Dtype::float16;
template <> inline constexpr Dtype dtype_of<functors::BFloat16> = Dtype::bfloat16;
template <> inline constexpr Dtype dtype_of<float> = Dtype::float32;
template <> inline constexpr Dtype dtype_of<double> = Dtype::float64;
template <> inline constexpr Dtype dtype_of<functors::Complex<float>> = Dtype::complex64;
template <> inline constexpr Dtype dtype_of<functors::Complex<double>> = Dtype::complex128;
template <> inline constexpr Dtype dtype_of<functors::Float8E4M3FN> = Dtype::float8_e4m3fn;
template <> inline constexpr Dtype dtype_of<functors::Float8E5M2> = Dtype::float8_e5m2;
template <> inline constexpr Dtype dtype_of<functors::Int4> = Dtype::int4;
template <> inline constexpr Dtype dtype_of<functors::UInt4> = Dtype::uint4;
// clang-format on

}  // namespace crossdock
