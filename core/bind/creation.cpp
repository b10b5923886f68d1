// Creation functions of the namespace.
#include "creation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/ops/creation.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

bool is_complex(const Scalar& scalar) { return std::holds_alternative<std::complex<double>>(scalar.value); }

nb::object filled(nb::handle shape, const Scalar& value, nb::handle dtype, nb::handle device, const char* op) {
  const Dims dims = dims_of(shape, op);
  Device& place = device_of(device);
  const Dtype wanted = optional_dtype(dtype).value_or(value.own_dtype());
  return to_python(unlocked(place, work_of(dims), [&] { return full(dims, value, wanted, place); }));
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
      R"doc(An array whose elements have not been set; what is read from them is arbitrary.

Parameters
----------
shape : int or sequence of int
    The shape wanted.
dtype : dtype, optional
    Of the result; float64 when omitted.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
DimensionError, OutOfMemoryError
    For a shape that is negative, of more than 64 dimensions or too large to count; when the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``empty``.
)doc");
  m.def(
      "zeros",
      [](nb::handle shape, nb::handle dtype, nb::handle device) {
        return filled(shape, {std::int64_t{0}}, dtype.is_none() ? to_python(Dtype::float64) : nb::borrow(dtype), device,
                      "zeros");
      },
      "shape"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def zeros(shape: int | collections.abc.Sequence[int], *, dtype: typing.Any = None, device: Device | str "
              "| None = None) -> Array"),
      R"doc(An array of zeros (False for bool).

Parameters
----------
shape : int or sequence of int
    The shape wanted.
dtype : dtype, optional
    Of the result; float64 when omitted.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
DimensionError, OutOfMemoryError
    For a shape that is negative, of more than 64 dimensions or too large to count; when the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``zeros``.
)doc");
  m.def(
      "ones",
      [](nb::handle shape, nb::handle dtype, nb::handle device) {
        return filled(shape, {std::int64_t{1}}, dtype.is_none() ? to_python(Dtype::float64) : nb::borrow(dtype), device,
                      "ones");
      },
      "shape"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def ones(shape: int | collections.abc.Sequence[int], *, dtype: typing.Any = None, device: Device | str "
              "| None = None) -> Array"),
      R"doc(An array of ones (True for bool).

Parameters
----------
shape : int or sequence of int
    The shape wanted.
dtype : dtype, optional
    Of the result; float64 when omitted.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
DimensionError, OutOfMemoryError
    For a shape that is negative, of more than 64 dimensions or too large to count; when the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``ones``.
)doc");
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device) {
        return filled(shape, number_of(value, "full"), dtype, device, "full");
      },
      "shape"_a.none(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full(shape: int | collections.abc.Sequence[int], fill_value: complex, *, dtype: typing.Any = None, "
              "device: Device | str | None = None) -> Array"),
      R"doc(An array of one value.

Parameters
----------
shape : int or sequence of int
    The shape wanted.
fill_value : bool, int, float or complex, or a NumPy scalar
    The value of every element.
dtype : dtype, optional
    Of the result; when omitted bool, int64, float64 or complex128, as the value's type says (uint64 beyond int64), or
    a NumPy scalar's own.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
DimensionError, OutOfMemoryError
    For a shape that is negative, of more than 64 dimensions or too large to count; when the device has no room.
DtypeError, OverflowError
    For a value of a higher kind than the dtype (a float for int8, a complex for float32); for an integer that the
    dtype does not hold.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``full``.
)doc");
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
      R"doc(Evenly spaced numbers: start, start + step, ... before stop.

Parameters
----------
start : int or float
    The first number; with one argument stop, and the first is 0.
stop : int or float, optional
    Where the numbers end; not among them, but where rounding of a step that is no integer makes it so.
step : int or float
    From one number to the next; not 0. Numbers that would have to go the other way are none.
dtype : dtype, optional
    Of the result, real; when omitted int64 for integers alone, else float64.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    1-d, of ceil((stop - start) / step) elements. Fresh, in C order, writable. Does not wait.

Raises
------
ValueError, OverflowError, DimensionError
    For a step of 0, a number of elements that cannot be told; an integer beyond int64; more elements than are counted.
DtypeError
    For a dtype or a number that is not real.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``arange``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.arange(5, 0, -2, device='native:0').tolist()
[5, 3, 1]
)doc");
  m.def(
      "linspace",
      [](nb::handle start, nb::handle stop, std::int64_t num, nb::handle dtype, nb::handle device, bool endpoint) {
        const Scalar first = number_of(start, "linspace"), last = number_of(stop, "linspace");
        const Dtype wanted =
            optional_dtype(dtype).value_or(is_complex(first) || is_complex(last) ? Dtype::complex128 : Dtype::float64);
        Device& place = device_of(device);
        return to_python(unlocked(place, num, [&] { return linspace(first, last, num, wanted, endpoint, place); }));
      },
      "start"_a.none(), "stop"_a, "num"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      "endpoint"_a = true,
      nb::sig(
          "def linspace(start: complex, stop: complex, /, num: int, *, dtype: typing.Any = None, device: Device | str "
          "| None = None, endpoint: bool = True) -> Array"),
      R"doc(``num`` evenly spaced numbers from start to stop.

Parameters
----------
start, stop : int, float or complex
    The first number, and the last one if ``endpoint``; the parts of complex numbers are spaced each by itself.
num : int
    How many.
dtype : dtype, optional
    Of the result, floating-point; when omitted float64, or complex128 where a number is complex. Numbers are computed
    in 64 bits (each part) and then rounded.
device : Device or str, optional
    Where; the default device when omitted.
endpoint : bool
    Whether stop is the last number, exactly; else it would be the next one.

Returns
-------
Array
    1-d. Fresh, in C order, writable. Does not wait.

Raises
------
ValueError, DimensionError
    For a negative ``num``; for more elements than are counted.
DtypeError
    For a dtype that is not floating-point, or a real one for complex numbers.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``linspace``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.linspace(0, 1, 5, device='native:0').tolist()
[0.0, 0.25, 0.5, 0.75, 1.0]
)doc");
  m.def(
      "eye",
      [](std::int64_t rows, std::optional<std::int64_t> columns, nb::handle diagonal, nb::handle dtype,
         nb::handle device) {
        const Dims shape{rows, columns.value_or(rows)};
        const std::int64_t k = saturated_of(diagonal, "eye");
        const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
        Device& place = device_of(device);
        return to_python(unlocked(place, work_of(shape), [&] { return eye(shape[0], shape[1], k, wanted, place); }));
      },
      "n_rows"_a, "n_cols"_a = nb::none(), nb::kw_only(), "k"_a.none() = 0, "dtype"_a = nb::none(),
      "device"_a = nb::none(),
      nb::sig("def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: typing.Any = None, device: "
              "Device | str | None = None) -> Array"),
      R"doc(A matrix with ones on one diagonal and zeros elsewhere.

Parameters
----------
n_rows, n_cols : int
    Its shape; square when the second is omitted.
k : int
    Which diagonal: 0 the main one, above it positive, below negative; one outside of the matrix leaves zeros.
dtype : dtype, optional
    Of the result; float64 when omitted.
device : Device or str, optional
    Where; the default device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
DimensionError, OutOfMemoryError
    For a shape that is negative, of more than 64 dimensions or too large to count; when the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``eye``.
)doc");
}

}  // namespace

Scalar number_of(nb::handle object, const char* op) {
  if (auto scalar = scalar_or_null(object.ptr())) return *scalar;
  if (array_or_null(object.ptr())) {
    throw TypeError(std::string(op) + ": takes a number, not an array; float(x) or int(x) gives its one element");
  }
  throw TypeError(std::string(op) + ": takes a number, not " + text_of(nb::repr(object)));
}

nb::object unfilled(const Dims& shape, Dtype dtype, Device& device) {
  return to_python(unlocked(device, 0, [&] { return Array::empty(shape, dtype, device); }));
}

void define_creation(nb::module_& m) { define_fresh(m); }

}  // namespace crossdock::bind
