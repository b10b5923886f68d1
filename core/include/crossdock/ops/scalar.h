// Scalar: a number that is not an array. Argument: what an elementwise operation takes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "crossdock/array/array.h"

namespace crossdock {

// A Python number is weak: it takes its dtype from the arrays beside it. A NumPy scalar is strong: `dtype` is its own.
struct Scalar {
  // An integer beyond int64 is an uint64; beyond that there is nothing it could be stored in.
  std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>> value;
  std::optional<Dtype> dtype = std::nullopt;

  // The default dtype of a weak one: bool, int64, float64, complex128 (uint64 beyond int64).
  Dtype own_dtype() const noexcept;
  std::string text() const;
};

using Argument = std::variant<const Array*, Scalar>;

// Writes the scalar as one element of `dtype` to `out` (itemsize bytes, at most 16). OverflowError when an integer does
// not fit an integer dtype; DtypeError when its kind does not fit (a float for an integer dtype, a complex for a real
// one).
void store(const Scalar& scalar, Dtype dtype, std::byte* out);
// The value of one element; storage dtypes come as their number.
Scalar load(const std::byte* element, Dtype dtype);

// A 0-d array on `device`.
Array to_array(const Scalar& scalar, Dtype dtype, Device& device);

}  // namespace crossdock
