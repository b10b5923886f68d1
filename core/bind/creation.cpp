// Creation functions of the namespace.
#include "crossdock/ops/creation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

Scalar number_of(nb::handle object, const char* op) {
  if (auto scalar = scalar_or_null(object.ptr())) return *scalar;
  throw TypeError(std::string(op) + ": takes a number, not " + text_of(nb::repr(object)));
}

double real_of(nb::handle object, const char* op) {
  std::byte element[16];
  store(number_of(object, op), Dtype::float64, element);
  return std::get<double>(load(element, Dtype::float64).value);
}

nb::object filled(nb::handle shape, const Scalar& value, nb::handle dtype, nb::handle device, const char* op) {
  const Dims dims = dims_of(shape, op);
  Device& place = device_of(device);
  const Dtype wanted = optional_dtype(dtype).value_or(value.own_dtype());
  return to_python(unlocked(place, work_of(dims), [&] { return full(dims, value, wanted, place); }));
}

// An accelerator that is nearly full waits for its work here, and that work may need the GIL to end.
nb::object unfilled(const Dims& shape, Dtype dtype, Device& device) {
  return to_python(unlocked(device, 0, [&] { return Array::empty(shape, dtype, device); }));
}

void define_fresh(nb::module_& m) {
  m.def(
      "empty",
      [](nb::handle shape, nb::handle dtype, nb::handle device) {
        return unfilled(dims_of(shape, "empty"), optional_dtype(dtype).value_or(Dtype::float64), device_of(device));
      },
      "shape"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def empty(shape: int | collections.abc.Sequence[int], *, dtype: typing.Any = None, device: Device | str "
              "| None = None) -> Array"),
      "Uninitialised array (float64 unless ``dtype``). OutOfMemoryError when the device has no room.");
  m.def(
      "zeros",
      [](nb::handle shape, nb::handle dtype, nb::handle device) {
        return filled(shape, {std::int64_t{0}}, dtype.is_none() ? to_python(Dtype::float64) : nb::borrow(dtype), device,
                      "zeros");
      },
      "shape"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def zeros(shape: int | collections.abc.Sequence[int], *, dtype: typing.Any = None, device: Device | str "
              "| None = None) -> Array"),
      "Array of zeros (float64 unless ``dtype``).");
  m.def(
      "ones",
      [](nb::handle shape, nb::handle dtype, nb::handle device) {
        return filled(shape, {std::int64_t{1}}, dtype.is_none() ? to_python(Dtype::float64) : nb::borrow(dtype), device,
                      "ones");
      },
      "shape"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def ones(shape: int | collections.abc.Sequence[int], *, dtype: typing.Any = None, device: Device | str "
              "| None = None) -> Array"),
      "Array of ones (float64 unless ``dtype``).");
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device) {
        return filled(shape, number_of(value, "full"), dtype, device, "full");
      },
      "shape"_a.none(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full(shape: int | collections.abc.Sequence[int], fill_value: complex, *, dtype: typing.Any = None, "
              "device: Device | str | None = None) -> Array"),
      "Array of ``fill_value``, in its default dtype unless ``dtype``.");
  m.def(
      "arange",
      [](nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype, nb::handle device) {
        Scalar first = number_of(start, "arange"), last{std::int64_t{0}};
        if (stop.is_none())
          std::swap(first, last);
        else
          last = number_of(stop, "arange");
        const Scalar pace = number_of(step, "arange");
        const auto wanted = optional_dtype(dtype);
        Device& place = device_of(device);
        return to_python(unlocked(place, kLongWork, [&] { return arange(first, last, pace, wanted, place); }));
      },
      "start"_a.none(), "stop"_a = nb::none(), "step"_a = 1, nb::kw_only(), "dtype"_a = nb::none(),
      "device"_a = nb::none(),
      nb::sig("def arange(start: float, /, stop: float | None = None, step: float = 1, *, dtype: typing.Any = None, "
              "device: Device | str | None = None) -> Array"),
      "start, start + step, ... before stop (from 0 with one argument); int64 for integers, else float64, unless "
      "``dtype``.");
  m.def(
      "linspace",
      [](nb::handle start, nb::handle stop, std::int64_t num, nb::handle dtype, nb::handle device, bool endpoint) {
        const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
        const double first = real_of(start, "linspace"), last = real_of(stop, "linspace");
        Device& place = device_of(device);
        return to_python(unlocked(place, num, [&] { return linspace(first, last, num, wanted, endpoint, place); }));
      },
      "start"_a.none(), "stop"_a, "num"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      "endpoint"_a = true,
      nb::sig("def linspace(start: float, stop: float, /, num: int, *, dtype: typing.Any = None, device: Device | str "
              "| None = None, endpoint: bool = True) -> Array"),
      "``num`` evenly spaced numbers from start to stop, which is the last one when ``endpoint``.");
  m.def(
      "eye",
      [](std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, nb::handle dtype, nb::handle device) {
        const Dims shape{rows, columns.value_or(rows)};
        const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
        Device& place = device_of(device);
        return to_python(unlocked(place, work_of(shape), [&] { return eye(shape[0], shape[1], k, wanted, place); }));
      },
      "n_rows"_a, "n_cols"_a = nb::none(), nb::kw_only(), "k"_a = 0, "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: typing.Any = None, device: "
              "Device | str | None = None) -> Array"),
      "Ones on the k-th diagonal, zeros elsewhere.");
}

nb::object like(nb::handle x, const Scalar& value, nb::handle dtype, nb::handle device, const char* op) {
  const Array& array = array_of(x, op);
  Device& place = device.is_none() ? array.device() : device_of(device);
  const Dtype wanted = optional_dtype(dtype).value_or(array.dtype());
  return to_python(unlocked(place, array.size(), [&] { return full(array.shape(), value, wanted, place); }));
}

void define_like(nb::module_& m) {
  m.def(
      "empty_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        const Array& array = array_of(x, "empty_like");
        return unfilled(array.shape(), optional_dtype(dtype).value_or(array.dtype()),
                        device.is_none() ? array.device() : device_of(device));
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def empty_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      "Uninitialised array of x's shape, dtype and device, unless given.");
  m.def(
      "zeros_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return like(x, {std::int64_t{0}}, dtype, device, "zeros_like");
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def zeros_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      "Zeros of x's shape, dtype and device, unless given.");
  m.def(
      "ones_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return like(x, {std::int64_t{1}}, dtype, device, "ones_like");
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def ones_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      "Ones of x's shape, dtype and device, unless given.");
  m.def(
      "full_like",
      [](nb::handle x, nb::handle value, nb::handle dtype, nb::handle device) {
        return like(x, number_of(value, "full_like"), dtype, device, "full_like");
      },
      "x"_a.none(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full_like(x: Array, /, fill_value: complex, *, dtype: typing.Any = None, device: Device | str | "
              "None = None) -> Array"),
      "``fill_value`` in x's shape, dtype and device, unless given.");
}

}  // namespace

void define_creation(nb::module_& m) {
  define_fresh(m);
  define_like(m);
}

}  // namespace crossdock::bind
