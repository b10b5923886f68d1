// Manipulation functions of the namespace that give views, and astype.
#include "crossdock/ops/manipulation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

void define_views(nb::module_& m) {
  m.def(
      "reshape",
      [](nb::handle x, nb::handle shape, std::optional<bool> copy) {
        const Array& array = array_of(x, "reshape");
        return to_python(unlocked(array.device(), array.size(),
                                  [&, dims = dims_of(shape, "reshape")] { return reshape(array, dims, copy); }));
      },
      "x"_a.none(), "shape"_a.none(), nb::kw_only(), "copy"_a = nb::none(),
      nb::sig(
          "def reshape(x: Array, /, shape: int | collections.abc.Sequence[int], *, copy: bool | None = None) -> Array"),
      R"doc(The elements of x, in C order, in another shape.

Parameters
----------
x : Array
    Of any shape and dtype.
shape : int or sequence of int
    The shape wanted, of as many elements; one extent may be -1: what the others leave.
copy : bool, optional
    True: always a copy. False: never. Omitted: a copy only where the strides allow no view.

Returns
-------
Array
    A view of x, or else fresh in C order; on x's device. Does not wait.

Raises
------
DimensionError
    For a shape of another number of elements; it names both.
CopyRequiredError
    Where ``copy=False`` and the strides allow no view.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``reshape``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.reshape(cx.arange(6, device='native:0'), (2, -1)).tolist()
[[0, 1, 2], [3, 4, 5]]
)doc");
  m.def(
      "permute_dims",
      [](nb::handle x, nb::handle axes) {
        return to_python(permute_dims(array_of(x, "permute_dims"), dims_of(axes, "permute_dims")));
      },
      "x"_a.none(), "axes"_a, nb::sig("def permute_dims(x: Array, /, axes: collections.abc.Sequence[int]) -> Array"),
      R"doc(The dimensions of x in another order; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
axes : sequence of int
    For each dimension of the result, which one of x it is; all of them, each once. Negative ones count from the end.

Returns
-------
Array
    A view of x.

Raises
------
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice or left out.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``permute_dims``.
)doc");
  m.def(
      "matrix_transpose", [](nb::handle x) { return to_python(matrix_transpose(array_of(x, "matrix_transpose"))); },
      "x"_a.none(), nb::sig("def matrix_transpose(x: Array, /) -> Array"),
      R"doc(The last two dimensions swapped.

Parameters
----------
x : Array
    Two dimensions or more, any dtype.

Returns
-------
Array
    A view of x. Does not wait.

Raises
------
DimensionError
    For fewer dimensions.

Notes
-----
Array API standard 2024.12, "Linear Algebra Functions": ``matrix_transpose``.
)doc");
  m.def(
      "moveaxis",
      [](nb::handle x, nb::handle source, nb::handle destination) {
        return to_python(
            moveaxis(array_of(x, "moveaxis"), dims_of(source, "moveaxis"), dims_of(destination, "moveaxis")));
      },
      "x"_a.none(), "source"_a, "destination"_a,
      nb::sig("def moveaxis(x: Array, source: int | collections.abc.Sequence[int], destination: int | "
              "collections.abc.Sequence[int], /) -> Array"),
      R"doc(Dimensions of x moved to other places, the rest in order; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
source, destination : int or sequence of int
    Which dimensions, and where each comes to be; as many of both. Negative ones count from the end.

Returns
-------
Array
    A view of x.

Raises
------
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice, or different numbers of them.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``moveaxis``.
)doc");
  m.def(
      "expand_dims",
      [](nb::handle x, nb::handle axis) {
        return to_python(expand_dims(array_of(x, "expand_dims"), dims_of(axis, "expand_dims")));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def expand_dims(x: Array, /, *, axis: int | collections.abc.Sequence[int] = 0) -> Array"),
      R"doc(x with dimensions of extent 1 at the places named; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
axis : int or sequence of int
    Where in the result; negative ones count from its end.

Returns
-------
Array
    A view of x.

Raises
------
IndexError, DimensionError
    For a place outside of the result; for one named twice, or more than 64 dimensions.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``expand_dims``. A sequence of axes is ours.
)doc");
  m.def(
      "squeeze",
      [](nb::handle x, nb::handle axis) {
        return to_python(squeeze(array_of(x, "squeeze"), dims_of(axis, "squeeze")));
      },
      "x"_a.none(), "axis"_a, nb::sig("def squeeze(x: Array, /, axis: int | collections.abc.Sequence[int]) -> Array"),
      R"doc(x without the dimensions named, which have extent 1; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
axis : int or sequence of int
    Which dimensions; negative ones count from the end.

Returns
-------
Array
    A view of x.

Raises
------
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice or of another extent.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``squeeze``.
)doc");
  m.def(
      "flip", [](nb::handle x, nb::handle axis) { return to_python(flip(array_of(x, "flip"), axes_of(axis, "flip"))); },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(),
      nb::sig("def flip(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None) -> Array"),
      R"doc(The elements of x in reverse order along the axes named, or along all; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
axis : int or sequence of int, optional
    Along which; negative ones count from the end; all when omitted.

Returns
-------
Array
    A view of x.

Raises
------
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``flip``.
)doc");
  m.def(
      "broadcast_to",
      [](nb::handle x, nb::handle shape) {
        return to_python(array_of(x, "broadcast_to").broadcast_to(dims_of(shape, "broadcast_to")));
      },
      "x"_a.none(), "shape"_a.none(),
      nb::sig("def broadcast_to(x: Array, /, shape: int | collections.abc.Sequence[int]) -> Array"),
      R"doc(x repeated to another shape; a view.

Parameters
----------
x : Array
    Of any shape and dtype.
shape : int or sequence of int
    The shape wanted; x's dimensions are its last ones, and equal to them or of extent 1.

Returns
-------
Array
    A view of x, read-only where it repeats elements.

Raises
------
DimensionError
    For a shape that x does not broadcast to; it names both.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``broadcast_to``.
)doc");
  m.def(
      "broadcast_arrays",
      [](const nb::args& items) { return to_python(broadcast_arrays(arrays_of(items, "broadcast_arrays"))); },
      nb::sig("def broadcast_arrays(*arrays: Array) -> list[Array]"),
      R"doc(All arrays in the one shape that they broadcast to.

Parameters
----------
*arrays : Array
    Any dtypes, on any devices.

Returns
-------
list of Array
    A view of each, read-only where it repeats elements. Does not wait.

Raises
------
DimensionError
    Where there is no such shape; names two that do not go together.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``broadcast_arrays``.
)doc");
  m.def(
      "unstack",
      [](nb::handle x, std::int64_t axis) { return nb::tuple(to_python(unstack(array_of(x, "unstack"), axis))); },
      "x"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]"),
      R"doc(The parts of x along an axis, each without that axis; a tuple of views.

Parameters
----------
x : Array
    Of one dimension or more, any dtype.
axis : int
    Along which; negative ones count from the end.

Returns
-------
tuple of Array
    Views of x, as many as the axis has places.

Raises
------
IndexError
    For an axis outside of [-ndim, ndim).

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``unstack``.

Examples
--------
>>> import crossdock.core as cx
>>> [part.tolist() for part in cx.unstack(cx.asarray([[1, 2], [3, 4]], device='native:0'), axis=1)]
[[1, 3], [2, 4]]
)doc");
}

void define_astype(nb::module_& m) {
  m.def(
      "astype",
      [](nb::handle x, nb::handle dtype, bool copy, nb::handle device) {
        Array array = array_of(x, "astype");
        const Dtype wanted = dtype_of(dtype);
        require_castable(array.dtype(), wanted);
        Device& place = device.is_none() ? array.device() : device_of(device);
        return to_python(unlocked(place, kLongWork, [&] {
          const bool moves = &place != &array.device();
          if (moves) array = to_device(array, place);
          return (copy && !(moves && !place.is_host())) || wanted != array.dtype() ? astype(array, wanted) : array;
        }));
      },
      "x"_a.none(), "dtype"_a, nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
      nb::sig("def astype(x: Array, dtype: typing.Any, /, *, copy: bool = True, device: Device | str | None = None) -> "
              "Array"),
      R"doc(x converted to another dtype.

Parameters
----------
x : Array
    Of any shape and dtype.
dtype : dtype
    The dtype wanted.
copy : bool
    False: x itself where it has the dtype (and the device) already.
device : Device or str, optional
    Where the result is wanted; x's device when omitted.

Returns
-------
Array
    Fresh, in C order, unless ``copy=False`` and nothing changes. Does not wait on one device. Floating-point numbers
    round half to even; towards integers they lose their fraction, and outside of the integers' range give what NumPy
    gives on x86-64. Integers wrap around. Anything but 0 is True.

Raises
------
DtypeError
    From complex to real, which would drop imaginary parts.

Notes
-----
Array API standard 2024.12, "Data Type Functions": ``astype``.
)doc");
}

}  // namespace

void define_manipulation(nb::module_& m) {
  define_views(m);
  define_astype(m);
}

}  // namespace crossdock::bind
