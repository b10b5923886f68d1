#include "crossdock/ops/scalar.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "crossdock/functors/bfloat16.h"
#include "crossdock/functors/float16.h"
#include "crossdock/functors/float8.h"
#include "crossdock/functors/int4.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

template <class T>
void put(std::byte* out, const T& value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T get(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

[[noreturn]] void refuse_kind(const Scalar& scalar, Dtype dtype) {
  throw DtypeError("the number " + scalar.text() + " cannot be stored as " + std::string(name(dtype)) +
                   "; convert the number, or the array with astype");
}

double real_value(const Scalar& scalar, Dtype dtype) {
  return std::visit(
      [&](auto value) -> double {
        if constexpr (std::is_same_v<decltype(value), std::complex<double>>)
          refuse_kind(scalar, dtype);
        else
          return static_cast<double>(value);
      },
      scalar.value);
}

std::complex<double> complex_value(const Scalar& scalar, Dtype dtype) {
  if (const auto* value = std::get_if<std::complex<double>>(&scalar.value)) return *value;
  return real_value(scalar, dtype);
}

// The integer as T, between `low` and `high`.
template <class T>
T integer_value(const Scalar& scalar, Dtype dtype, T low, T high) {
  const auto fits = [&](auto value) {
    if (std::cmp_less(value, low) || std::cmp_greater(value, high)) {
      throw OverflowError("the integer " + scalar.text() + " does not fit in " + std::string(name(dtype)) + " (" +
                          std::to_string(low) + " to " + std::to_string(high) + ")");
    }
    return static_cast<T>(value);
  };
  if (const auto* value = std::get_if<std::int64_t>(&scalar.value)) return fits(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&scalar.value)) return fits(*value);
  if (const auto* value = std::get_if<bool>(&scalar.value)) return static_cast<T>(*value);
  refuse_kind(scalar, dtype);
}

template <class T>
void put_integer(const Scalar& scalar, Dtype dtype, std::byte* out) {
  put(out, integer_value<T>(scalar, dtype, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

bool truth(const Scalar& scalar) {
  return std::visit([](auto value) { return value != decltype(value){}; }, scalar.value);
}

}  // namespace

Dtype Scalar::own_dtype() const noexcept {
  if (dtype) return *dtype;
  static constexpr Dtype kByKind[] = {Dtype::bool_, Dtype::int64, Dtype::uint64, Dtype::float64, Dtype::complex128};
  return kByKind[value.index()];
}

std::string Scalar::text() const {
  return std::visit(
      [](auto number) -> std::string {
        using Number = decltype(number);
        if constexpr (std::is_same_v<Number, bool>)
          return number ? "True" : "False";
        else if constexpr (std::is_same_v<Number, std::complex<double>>) {
          return Scalar{number.real()}.text() + (std::signbit(number.imag()) ? "" : "+") +
                 Scalar{number.imag()}.text() + "j";
        } else {
          char buffer[40];
          return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
        }
      },
      value);
}

void store(const Scalar& scalar, Dtype dtype, std::byte* out) {
  namespace f = functors;
  const auto real = [&] { return real_value(scalar, dtype); };
  switch (dtype) {
    case Dtype::bool_:
      return put(out, truth(scalar));
    case Dtype::int8:
      return put_integer<std::int8_t>(scalar, dtype, out);
    case Dtype::int16:
      return put_integer<std::int16_t>(scalar, dtype, out);
    case Dtype::int32:
      return put_integer<std::int32_t>(scalar, dtype, out);
    case Dtype::int64:
      return put_integer<std::int64_t>(scalar, dtype, out);
    case Dtype::uint8:
      return put_integer<std::uint8_t>(scalar, dtype, out);
    case Dtype::uint16:
      return put_integer<std::uint16_t>(scalar, dtype, out);
    case Dtype::uint32:
      return put_integer<std::uint32_t>(scalar, dtype, out);
    case Dtype::uint64:
      return put_integer<std::uint64_t>(scalar, dtype, out);
    case Dtype::float16:
      return put(out, f::to_float16(real()));
    case Dtype::bfloat16:
      return put(out, f::to_bfloat16(static_cast<float>(real())));
    case Dtype::float32:
      return put(out, static_cast<float>(real()));
    case Dtype::float64:
      return put(out, real());
    case Dtype::complex64:
      return put(out, std::complex<float>(complex_value(scalar, dtype)));
    case Dtype::complex128:
      return put(out, complex_value(scalar, dtype));
    case Dtype::float8_e4m3fn:
      return put(out, f::to_float8_e4m3fn(static_cast<float>(real())));
    case Dtype::float8_e5m2:
      return put(out, f::to_float8_e5m2(static_cast<float>(real())));
    case Dtype::int4:
      return put(out, f::to_int4(integer_value<std::int8_t>(scalar, dtype, -8, 7)));
    case Dtype::uint4:
      return put(out, f::to_uint4(integer_value<std::uint8_t>(scalar, dtype, 0, 15)));
  }
}

Scalar load(const std::byte* element, Dtype dtype) {
  namespace f = functors;
  const auto signed_integer = [](auto value) { return Scalar{static_cast<std::int64_t>(value)}; };
  const auto real = [](auto value) { return Scalar{static_cast<double>(value)}; };
  switch (dtype) {
    case Dtype::bool_:
      return {get<std::uint8_t>(element) != 0};
    case Dtype::int8:
      return signed_integer(get<std::int8_t>(element));
    case Dtype::int16:
      return signed_integer(get<std::int16_t>(element));
    case Dtype::int32:
      return signed_integer(get<std::int32_t>(element));
    case Dtype::int64:
      return signed_integer(get<std::int64_t>(element));
    case Dtype::uint8:
      return signed_integer(get<std::uint8_t>(element));
    case Dtype::uint16:
      return signed_integer(get<std::uint16_t>(element));
    case Dtype::uint32:
      return signed_integer(get<std::uint32_t>(element));
    case Dtype::uint64:
      return {get<std::uint64_t>(element)};
    case Dtype::float16:
      return real(f::to_float(get<f::Float16>(element)));
    case Dtype::bfloat16:
      return real(f::to_float(get<f::BFloat16>(element)));
    case Dtype::float32:
      return real(get<float>(element));
    case Dtype::float64:
      return real(get<double>(element));
    case Dtype::complex64:
      return {std::complex<double>(get<std::complex<float>>(element))};
    case Dtype::complex128:
      return {get<std::complex<double>>(element)};
    case Dtype::float8_e4m3fn:
      return real(f::to_float(get<f::Float8E4M3FN>(element)));
    case Dtype::float8_e5m2:
      return real(f::to_float(get<f::Float8E5M2>(element)));
    case Dtype::int4:
      return signed_integer(f::to_int8(get<f::Int4>(element)));
    case Dtype::uint4:
      return signed_integer(f::to_uint8(get<f::UInt4>(element)));
  }
  return {false};
}

Array to_array(const Scalar& scalar, Dtype dtype, Device& device) { return full({}, scalar, dtype, device); }

}  // namespace crossdock
