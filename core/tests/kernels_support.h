// Small strided arrays and launches for the tests of kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "crossdock/array/layout.h"
#include "crossdock/backends/dtype_of.h"
#include "crossdock/backends/native.h"

namespace crossdock::testing {

using functors::BFloat16;
using functors::Float16;
using Complex64 = functors::Complex<float>;
using Complex128 = functors::Complex<double>;

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
  return operand(data.data(), dtype, contiguous_strides(shape, sizeof(T)));
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
