// Small strided arrays and launches for the tests of kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "crossdock/backends/native.h"
#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/complex.h"
#include "crossdock/functors/float16.h"
#include "crossdock/functors/float8.h"
#include "crossdock/functors/int4.h"

namespace crossdock::testing {

using functors::BFloat16;
using functors::Float16;
using Complex64 = functors::Complex<float>;
using Complex128 = functors::Complex<double>;

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> {
  static constexpr Dtype value = Dtype::bool_;
};
template <>
struct DtypeOf<std::int8_t> {
  static constexpr Dtype value = Dtype::int8;
};
template <>
struct DtypeOf<std::int16_t> {
  static constexpr Dtype value = Dtype::int16;
};
template <>
struct DtypeOf<std::int32_t> {
  static constexpr Dtype value = Dtype::int32;
};
template <>
struct DtypeOf<std::int64_t> {
  static constexpr Dtype value = Dtype::int64;
};
template <>
struct DtypeOf<std::uint8_t> {
  static constexpr Dtype value = Dtype::uint8;
};
template <>
struct DtypeOf<std::uint16_t> {
  static constexpr Dtype value = Dtype::uint16;
};
template <>
struct DtypeOf<std::uint32_t> {
  static constexpr Dtype value = Dtype::uint32;
};
template <>
struct DtypeOf<std::uint64_t> {
  static constexpr Dtype value = Dtype::uint64;
};
template <>
struct DtypeOf<Float16> {
  static constexpr Dtype value = Dtype::float16;
};
template <>
struct DtypeOf<BFloat16> {
  static constexpr Dtype value = Dtype::bfloat16;
};
template <>
struct DtypeOf<float> {
  static constexpr Dtype value = Dtype::float32;
};
template <>
struct DtypeOf<double> {
  static constexpr Dtype value = Dtype::float64;
};
template <>
struct DtypeOf<Complex64> {
  static constexpr Dtype value = Dtype::complex64;
};
template <>
struct DtypeOf<Complex128> {
  static constexpr Dtype value = Dtype::complex128;
};
template <>
struct DtypeOf<functors::Float8E4M3FN> {
  static constexpr Dtype value = Dtype::float8_e4m3fn;
};
template <>
struct DtypeOf<functors::Float8E5M2> {
  static constexpr Dtype value = Dtype::float8_e5m2;
};
template <>
struct DtypeOf<functors::Int4> {
  static constexpr Dtype value = Dtype::int4;
};
template <>
struct DtypeOf<functors::UInt4> {
  static constexpr Dtype value = Dtype::uint4;
};
template <class T>
inline constexpr Dtype dtype_of = DtypeOf<T>::value;

inline Dims c_strides(const Dims& shape, std::int64_t itemsize) {
  Dims strides(shape.size());
  for (int dim = shape.size() - 1; dim >= 0; --dim) {
    strides[dim] = itemsize;
    itemsize *= shape[dim];
  }
  return strides;
}

inline Operand operand(const void* data, Dtype dtype, Dims strides) {
  Operand operand;
  operand.data = static_cast<std::byte*>(const_cast<void*>(data));
  operand.dtype = dtype;
  operand.strides = std::move(strides);
  return operand;
}

// bool is no array element in std::vector: bytes stand for it.
template <class T>
Operand contiguous(const std::vector<T>& data, const Dims& shape, Dtype dtype = dtype_of<T>) {
  return operand(data.data(), dtype, c_strides(shape, sizeof(T)));
}

inline void launch(Op op, Dtype dtype, const Dims& shape, std::initializer_list<Operand> operands, int reduced = 0) {
  Launch launch;
  launch.op = op;
  launch.dtype = dtype;
  launch.shape = shape;
  launch.reduced = reduced;
  for (const Operand& operand : operands) launch.operands[static_cast<std::size_t>(launch.noperands++)] = operand;
  const Kernel kernel = native::kernels().find(op, dtype);
  ASSERT_NE(kernel, nullptr) << name(op) << " " << name(dtype);
  kernel(launch);
}

template <class R, class T>
std::vector<R> unary(Op op, const std::vector<T>& a, Dtype output = dtype_of<R>) {
  std::vector<R> r(a.size());
  const Dims shape{static_cast<std::int64_t>(a.size())};
  launch(op, dtype_of<T>, shape, {contiguous(a, shape), contiguous(r, shape, output)});
  return r;
}

template <class R, class T>
std::vector<R> binary(Op op, const std::vector<T>& a, const std::vector<T>& b, Dtype output = dtype_of<R>) {
  std::vector<R> r(a.size());
  const Dims shape{static_cast<std::int64_t>(a.size())};
  launch(op, dtype_of<T>, shape, {contiguous(a, shape), contiguous(b, shape), contiguous(r, shape, output)});
  return r;
}

// Equal, or both NaN; zeros by sign too.
template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (want[i] != want[i])
      EXPECT_NE(got[i], got[i]) << "at " << i;
    else
      EXPECT_EQ(got[i], want[i]) << "at " << i;
    if (want[i] == 0)
      EXPECT_EQ(std::signbit(static_cast<double>(got[i])), std::signbit(static_cast<double>(want[i]))) << "at " << i;
  }
}

}  // namespace crossdock::testing
