// cast<To>(from): conversion between the types that functors compute with, defined for every value.
// Complex numbers lose their imaginary part. Real numbers lose their fraction; outside of the integer type's range they
// convert as NumPy's do on x86-64: through int32, int64 or uint64, whose lowest (uint64: middle) number stands for NaN.
#pragma once

#include "crossdock/functors/traits.h"

namespace crossdock::functors {

namespace detail {

template <class T>
CROSSDOCK_HD std::int32_t truncate_to_int32(T value) {
  const bool inside = (value >= T(-2147483648.0)) & (value < T(2147483648.0));
  const auto truncated = static_cast<std::int32_t>(inside ? value : T{0});
  return inside ? truncated : static_cast<std::int32_t>(0x80000000u);
}

template <class T>
CROSSDOCK_HD std::int64_t truncate_to_int64(T value) {
  const bool inside = (value >= T(-9223372036854775808.0)) & (value < T(9223372036854775808.0));
  const auto truncated = static_cast<std::int64_t>(inside ? value : T{0});
  return inside ? truncated : static_cast<std::int64_t>(0x8000000000000000u);
}

template <class T>
CROSSDOCK_HD std::uint64_t truncate_to_uint64(T value) {
  constexpr T half = T(9223372036854775808.0);
  const bool large = value >= half;
  const auto low = static_cast<std::uint64_t>(truncate_to_int64(large ? value - half : value));
  return large ? low ^ 0x8000000000000000u : low;
}

template <class To, class T>
CROSSDOCK_HD To truncate(T value) {
  if constexpr (sizeof(To) == 8 && is_signed<To>)
    return static_cast<To>(truncate_to_int64(value));
  else if constexpr (sizeof(To) == 8)
    return static_cast<To>(truncate_to_uint64(value));
  else if constexpr (sizeof(To) == 4 && !is_signed<To>)
    return static_cast<To>(truncate_to_int64(value));
  else
    return static_cast<To>(truncate_to_int32(value));
}

}  // namespace detail

template <class To, class From>
CROSSDOCK_HD To cast(From value) {
  if constexpr (is_complex<To> && is_complex<From>) {
    return {static_cast<Real<To>>(value.re), static_cast<Real<To>>(value.im)};
  } else if constexpr (is_complex<To>) {
    return {static_cast<Real<To>>(value), 0};
  } else if constexpr (is_complex<From>) {
    return cast<To>(value.re);
  } else if constexpr (is_integer<To> && is_floating<From>) {
    return detail::truncate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace crossdock::functors
