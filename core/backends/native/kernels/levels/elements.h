// How loops read, write and name elements. Everything in levels/*.h has internal linkage: see CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../loop_table.h"
#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/float16.h"
#include "crossdock/functors/traits.h"

namespace crossdock::native {
namespace {

using complex64 = functors::Complex<float>;
using complex128 = functors::Complex<double>;

template <class T>
struct DtypeOf;
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
struct DtypeOf<functors::Float16> {
  static constexpr Dtype value = Dtype::float16;
};
template <>
struct DtypeOf<functors::BFloat16> {
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
struct DtypeOf<complex64> {
  static constexpr Dtype value = Dtype::complex64;
};
template <>
struct DtypeOf<complex128> {
  static constexpr Dtype value = Dtype::complex128;
};

[[gnu::always_inline]] inline Loop& elementwise(LoopTable& table, Op op, Dtype dtype) {
  return table.elementwise[static_cast<int>(op)][static_cast<int>(dtype)];
}

// How a result lies in memory: bools as bytes.
template <class T>
struct StoredAs {
  using type = T;
};
template <>
struct StoredAs<bool> {
  using type = std::uint8_t;
};
template <class T>
using Stored = typename StoredAs<T>::type;

template <class T>
[[gnu::always_inline]] inline T load(const std::byte* p) {
  T value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
template <class T>
[[gnu::always_inline]] inline void store(std::byte* p, T value) {
  __builtin_memcpy(p, &value, sizeof value);
}

template <class T>
[[gnu::always_inline]] inline bool aligned(const std::byte* p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
}
template <class T>
[[gnu::always_inline]] inline bool contiguous(const std::byte* p, std::int64_t stride) {
  return stride == static_cast<std::int64_t>(sizeof(T)) && aligned<T>(p);
}
template <class T>
[[gnu::always_inline]] inline const T* input(const std::byte* p) {
  return reinterpret_cast<const T*>(p);
}
template <class T>
[[gnu::always_inline]] inline T* output(std::byte* p) {
  return reinterpret_cast<T*>(p);
}

}  // namespace
}  // namespace crossdock::native
