// Arrays for the tests: made from values, and read back element by element, without the operations under test.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"
#include "devices.h"

namespace crossdock::test {

inline const std::vector<std::string> kDevices = {"native:0", "sim:0"};

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return Dtype::bool_;
  if constexpr (std::is_same_v<T, std::int8_t>) return Dtype::int8;
  if constexpr (std::is_same_v<T, std::int16_t>) return Dtype::int16;
  if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Dtype::uint8;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Dtype::uint64;
  if constexpr (std::is_same_v<T, float>) return Dtype::float32;
  if constexpr (std::is_same_v<T, double>) return Dtype::float64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return Dtype::complex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return Dtype::complex128;
}

// Calls visit(index) for every index of `shape`, in C order.
inline void for_each_index(const Dims& shape, const std::function<void(const Dims&)>& visit) {
  std::int64_t size = 1;
  for (auto extent : shape) size *= extent;
  Dims index(shape.size());
  for (std::int64_t i = 0; i < size; ++i) {
    visit(index);
    for (int dim = shape.size() - 1; dim >= 0 && ++index[dim] == shape[dim]; --dim) index[dim] = 0;
  }
}

inline std::int64_t dot(const Dims& index, const Dims& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// Byte offsets of all elements, in C order.
inline std::vector<std::int64_t> offsets(const Dims& shape, const Dims& strides) {
  std::vector<std::int64_t> out;
  for_each_index(shape, [&](const Dims& index) { out.push_back(dot(index, strides)); });
  return out;
}

// The elements in C order, as the bytes that they are.
template <class T>
std::vector<T> bytes_as(const Array& array) {
  std::vector<T> out;
  Device& device = array.device();
  for (auto offset : offsets(array.shape(), array.strides())) {
    T value{};
    device.download(reinterpret_cast<std::byte*>(&value), array.data() + offset, sizeof value, device.default_stream(),
                    nullptr, true);
    out.push_back(value);
  }
  return out;
}

// The elements in C order as numbers, whatever their dtype; the real part of complex ones.
inline std::vector<double> numbers(const Array& array) {
  std::vector<double> out;
  Device& device = array.device();
  for (auto offset : offsets(array.shape(), array.strides())) {
    alignas(16) std::byte element[16];
    device.download(element, array.data() + offset, static_cast<std::size_t>(array.itemsize()), device.default_stream(),
                    nullptr, true);
    out.push_back(std::visit(
        [](auto value) {
          if constexpr (std::is_same_v<decltype(value), std::complex<double>>)
            return value.real();
          else
            return static_cast<double>(value);
        },
        load(element, array.dtype()).value));
  }
  return out;
}

// In C order.
template <class T>
Array make(Device& device, const Dims& shape, const std::vector<T>& values) {
  Array out = Array::empty(shape, dtype_of<T>(), device);
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  device.upload(out.data(), bytes.data(), bytes.size(), device.default_stream(), nullptr, true);
  return out;
}

// Numbers as elements of any dtype.
inline Array make(Device& device, const Dims& shape, Dtype dtype, const std::vector<double>& values) {
  Array out = Array::empty(shape, dtype, device);
  const auto size = static_cast<std::size_t>(out.itemsize());
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    alignas(16) std::byte element[16];
    const bool whole = is_integer(dtype) || dtype == Dtype::int4 || dtype == Dtype::uint4;
    store(whole ? Scalar{static_cast<std::int64_t>(values[i])} : Scalar{values[i]}, dtype, element);
    std::memcpy(bytes.data() + i * size, element, size);
  }
  device.upload(out.data(), bytes.data(), bytes.size(), device.default_stream(), nullptr, true);
  return out;
}

// 0, 1, 2, ... in C order.
template <class T = std::int64_t>
Array count(Device& device, const Dims& shape) {
  std::vector<T> values(static_cast<std::size_t>(checked_size(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  return make(device, shape, values);
}

// What the Error says that `body` throws.
template <class Error, class Body>
std::string thrown(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another class: ") + error.what();
  }
  return "nothing";
}

}  // namespace crossdock::test
