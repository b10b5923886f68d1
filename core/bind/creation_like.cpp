// Creation functions of the namespace that take shape, dtype and device from an array.
#include <nanobind/nanobind.h>

#include "convert.h"
#include "creation.h"
#include "crossdock/ops/creation.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

nb::object like(nb::handle x, const Scalar& value, nb::handle dtype, nb::handle device, const char* op) {
  const Array& array = array_of(x, op);
  Device& place = device.is_none() ? array.device() : device_of(device);
  const Dtype wanted = optional_dtype(dtype).value_or(array.dtype());
  return to_python(unlocked(place, array.size(), [&] { return full(array.shape(), value, wanted, place); }));
}

}  // namespace

void define_creation_like(nb::module_& m) {
  m.def(
      "empty_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        const Array& array = array_of(x, "empty_like");
        return unfilled(array.shape(), optional_dtype(dtype).value_or(array.dtype()),
                        device.is_none() ? array.device() : device_of(device));
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def empty_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      R"doc(An array of x's shape whose elements have not been set; what is read from them is arbitrary.

Parameters
----------
x : Array
    Whose shape is wanted; its elements are not read.
dtype : dtype, optional
    Of the result; x's when omitted.
device : Device or str, optional
    Where; x's device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
OutOfMemoryError
    When the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``empty_like``.
)doc");
  m.def(
      "zeros_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return like(x, {std::int64_t{0}}, dtype, device, "zeros_like");
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def zeros_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      R"doc(An array of zeros, of x's shape.

Parameters
----------
x : Array
    Whose shape is wanted; its elements are not read.
dtype : dtype, optional
    Of the result; x's when omitted.
device : Device or str, optional
    Where; x's device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
OutOfMemoryError
    When the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``zeros_like``.
)doc");
  m.def(
      "ones_like",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return like(x, {std::int64_t{1}}, dtype, device, "ones_like");
      },
      "x"_a.none(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def ones_like(x: Array, /, *, dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
      R"doc(An array of ones, of x's shape.

Parameters
----------
x : Array
    Whose shape is wanted; its elements are not read.
dtype : dtype, optional
    Of the result; x's when omitted.
device : Device or str, optional
    Where; x's device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
OutOfMemoryError
    When the device has no room.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``ones_like``.
)doc");
  m.def(
      "full_like",
      [](nb::handle x, nb::handle value, nb::handle dtype, nb::handle device) {
        return like(x, number_of(value, "full_like"), dtype, device, "full_like");
      },
      "x"_a.none(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full_like(x: Array, /, fill_value: complex, *, dtype: typing.Any = None, device: Device | str | "
              "None = None) -> Array"),
      R"doc(An array of one value, of x's shape.

Parameters
----------
x : Array
    Whose shape is wanted; its elements are not read.
fill_value : bool, int, float or complex, or a NumPy scalar
    The value of every element.
dtype : dtype, optional
    Of the result; x's when omitted.
device : Device or str, optional
    Where; x's device when omitted.

Returns
-------
Array
    Fresh, in C order, writable. Does not wait.

Raises
------
OutOfMemoryError
    When the device has no room.
DtypeError, OverflowError
    For a value of a higher kind than the dtype (a float for int8, a complex for float32); for an integer that the
    dtype does not hold.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``full_like``.
)doc");
}

}  // namespace crossdock::bind
