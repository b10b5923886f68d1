// Vectors of one register's bytes (GNU vector extension), and accumulation in their lanes.
#pragma once

#include "elements.h"
#include "level.h"

namespace crossdock::native {
namespace {

template <class T, int bytes = CROSSDOCK_VECTOR_BYTES>
using Vector [[gnu::vector_size(bytes)]] = T;

template <class V, class T>
[[gnu::always_inline]] inline V load_vector(const T* p) {
  V value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace
}  // namespace crossdock::native
