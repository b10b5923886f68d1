// How loops read, write and name elements. Everything in levels/*.h has internal linkage: see CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../loop_table.h"
#include "crossdock/backends/dtype_of.h"
#include "crossdock/functors/traits.h"

namespace crossdock::native {
namespace {

using complex64 = functors::Complex<float>;
using complex128 = functors::Complex<double>;

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
