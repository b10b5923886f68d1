// Facts about the types that functors compute with: integers, float, double, Complex<float>, Complex<double>.
#pragma once

#include "crossdock/functors/complex.h"

namespace crossdock::functors {

template <class T>
inline constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Complex<T>> = true;

template <class T>
inline constexpr bool is_integer = !is_floating<T> && !is_complex<T>;
template <class T>
inline constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);

template <bool condition, class A, class B>
struct Choose {
  using type = A;
};
template <class A, class B>
struct Choose<false, A, B> {
  using type = B;
};

// An unsigned type to compute with where signed overflow must wrap; at least 32 bits, so that nothing is promoted to
// int.
template <class T>
using Wrapping = typename Choose<sizeof(T) == 8, std::uint64_t, std::uint32_t>::type;

// The type of abs, real and imag.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

}  // namespace crossdock::functors
