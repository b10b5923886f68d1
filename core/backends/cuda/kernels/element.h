// Elements as kernels load, compute with, convert and store them.
#pragma once

#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/cast.h"
#include "crossdock/functors/float16.h"
#include "crossdock/functors/float8.h"
#include "crossdock/functors/host_device.h"
#include "crossdock/functors/int4.h"

namespace crossdock::cuda {

// What elements stored as S are computed with. 8-bit floats and 4-bit integers are for copies alone.
template <class S>
struct ComputedAs {
  using type = S;
};
template <>
struct ComputedAs<functors::Float16> {
  using type = float;
};
template <>
struct ComputedAs<functors::BFloat16> {
  using type = float;
};
template <>
struct ComputedAs<functors::Float8E4M3FN> {
  using type = float;
};
template <>
struct ComputedAs<functors::Float8E5M2> {
  using type = float;
};
template <>
struct ComputedAs<functors::Int4> {
  using type = std::int8_t;
};
template <>
struct ComputedAs<functors::UInt4> {
  using type = std::uint8_t;
};
template <class S>
using Computed = typename ComputedAs<S>::type;

// The bytes of an element: those of a bool may be any number.
template <class S>
struct RawOf {
  using type = S;
};
template <>
struct RawOf<bool> {
  using type = std::uint8_t;
};
// Both parts in one move; arrays that do not lie so are copied before kernels see them.
template <>
struct RawOf<functors::Complex<float>> {
  struct alignas(8) type {
    float re, im;
  };
};
template <class S>
using Raw = typename RawOf<S>::type;

namespace detail {
template <class S>
struct Element {
  CROSSDOCK_HD static S widen(S raw) { return raw; }
  CROSSDOCK_HD static S narrow(S value) { return value; }
};
template <>
struct Element<bool> {
  CROSSDOCK_HD static bool widen(std::uint8_t raw) { return raw != 0; }
  CROSSDOCK_HD static std::uint8_t narrow(bool value) { return value; }
};
template <>
struct Element<functors::Complex<float>> {
  CROSSDOCK_HD static functors::Complex<float> widen(Raw<functors::Complex<float>> raw) { return {raw.re, raw.im}; }
  CROSSDOCK_HD static Raw<functors::Complex<float>> narrow(functors::Complex<float> value) {
    return {value.re, value.im};
  }
};
template <>
struct Element<functors::Float16> {
  CROSSDOCK_HD static float widen(functors::Float16 raw) { return functors::to_float(raw); }
  CROSSDOCK_HD static functors::Float16 narrow(float value) { return functors::to_float16(value); }
};
template <>
struct Element<functors::BFloat16> {
  CROSSDOCK_HD static float widen(functors::BFloat16 raw) { return functors::to_float(raw); }
  CROSSDOCK_HD static functors::BFloat16 narrow(float value) { return functors::to_bfloat16(value); }
};
template <>
struct Element<functors::Float8E4M3FN> {
  CROSSDOCK_HD static float widen(functors::Float8E4M3FN raw) { return functors::to_float(raw); }
  CROSSDOCK_HD static functors::Float8E4M3FN narrow(float value) { return functors::to_float8_e4m3fn(value); }
};
template <>
struct Element<functors::Float8E5M2> {
  CROSSDOCK_HD static float widen(functors::Float8E5M2 raw) { return functors::to_float(raw); }
  CROSSDOCK_HD static functors::Float8E5M2 narrow(float value) { return functors::to_float8_e5m2(value); }
};
template <>
struct Element<functors::Int4> {
  CROSSDOCK_HD static std::int8_t widen(functors::Int4 raw) { return functors::to_int8(raw); }
  CROSSDOCK_HD static functors::Int4 narrow(std::int8_t value) { return functors::to_int4(value); }
};
template <>
struct Element<functors::UInt4> {
  CROSSDOCK_HD static std::uint8_t widen(functors::UInt4 raw) { return functors::to_uint8(raw); }
  CROSSDOCK_HD static functors::UInt4 narrow(std::uint8_t value) { return functors::to_uint4(value); }
};
}  // namespace detail

// Exact.
template <class S>
CROSSDOCK_HD Computed<S> widen(Raw<S> raw) {
  return detail::Element<S>::widen(raw);
}
// Rounded once, half to even.
template <class S>
CROSSDOCK_HD Raw<S> narrow(Computed<S> value) {
  return detail::Element<S>::narrow(value);
}

// The element at an address, a multiple of its size (complex128: of 8 bytes).
template <class S>
CROSSDOCK_HD Computed<S> load(const void* at) {
  return widen<S>(*static_cast<const Raw<S>*>(at));
}
template <class S>
CROSSDOCK_HD void store(void* at, Computed<S> value) {
  *static_cast<Raw<S>*>(at) = narrow<S>(value);
}
// A scalar that travelled with the launch (KernelOperand::immediate).
template <class S>
CROSSDOCK_HD Computed<S> load_immediate(const unsigned char (&immediate)[16]) {
  Raw<S> raw;
  memcpy(&raw, immediate, sizeof raw);
  return widen<S>(raw);
}

namespace detail {
template <class To, class From>
struct Convert {  // through what both are computed with
  CROSSDOCK_HD static Raw<To> run(Raw<From> raw) { return narrow<To>(functors::cast<Computed<To>>(widen<From>(raw))); }
};
template <class To>
struct Convert<To, bool> {
  CROSSDOCK_HD static Raw<To> run(std::uint8_t raw) {
    return narrow<To>(functors::cast<Computed<To>>(static_cast<std::uint8_t>(raw != 0)));
  }
};
template <class From>
struct Convert<bool, From> {
  CROSSDOCK_HD static std::uint8_t run(Raw<From> raw) {
    const auto value = widen<From>(raw);
    if constexpr (functors::is_complex<Computed<From>>)
      return (value.re != 0) | (value.im != 0);
    else
      return value != 0;
  }
};
template <>
struct Convert<bool, bool> {
  CROSSDOCK_HD static std::uint8_t run(std::uint8_t raw) { return raw; }
};
template <>
struct Convert<functors::Float16, double> {  // not by way of float: rounded once
  CROSSDOCK_HD static functors::Float16 run(double value) { return functors::to_float16(value); }
};
template <>
struct Convert<functors::Float16, functors::Complex<double>> {
  CROSSDOCK_HD static functors::Float16 run(functors::Complex<double> value) { return functors::to_float16(value.re); }
};
}  // namespace detail

// As NumPy's and ml_dtypes' casts (functors/cast.h).
template <class To, class From>
CROSSDOCK_HD Raw<To> convert(Raw<From> raw) {
  return detail::Convert<To, From>::run(raw);
}

}  // namespace crossdock::cuda
