// Functions that choose elements by their indices: take, take_along_axis, nonzero, count_nonzero, repeat.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/ops/selection.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

nb::object taken(nb::handle x, nb::handle indices, std::optional<std::int64_t> axis) {
  const Array& array = array_of(x, "take");
  const Array& places = array_of(indices, "take", &array);
  return to_python(unlocked(array.device(), kLongWork, [&] { return take(array, places, axis); }));
}

nb::object taken_along_axis(nb::handle x, nb::handle indices, std::int64_t axis) {
  const Array& array = array_of(x, "take_along_axis");
  const Array& places = array_of(indices, "take_along_axis", &array);
  return to_python(unlocked(array.device(), kLongWork, [&] { return take_along_axis(array, places, axis); }));
}

nb::object where_nonzero(nb::handle x) {
  const Array& array = array_of(x, "nonzero");
  auto places = unlocked(array.device(), array.size(), [&] { return nonzero(array); });
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(places.size())));
  for (std::size_t i = 0; i < places.size(); ++i) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), to_python_raw(std::move(places[i])));
  }
  return tuple;
}

nb::object nonzero_counted(nb::handle x, nb::handle axis, bool keepdims) {
  const Array& array = array_of(x, "count_nonzero");
  const auto axes = axes_of(axis, "count_nonzero");
  return to_python(unlocked(array.device(), array.size(), [&] { return count_nonzero(array, axes, keepdims); }));
}

nb::object repeated(nb::handle x, nb::handle repeats, std::optional<std::int64_t> axis) {
  const Array& array = array_of(x, "repeat");
  if (const Array* counts = array_or_null(repeats.ptr())) {
    return to_python(unlocked(array.device(), kLongWork, [&] { return repeat(array, *counts, axis); }));
  }
  if (is_numpy_array(repeats.ptr())) refuse_argument("repeat", repeats.ptr(), &array);
  const Dims count = dims_of(repeats, "repeat");
  if (count.size() != 1 || !PyIndex_Check(repeats.ptr())) {
    throw TypeError("repeat: repeats is an integer or an array of integers, not a sequence");
  }
  return to_python(unlocked(array.device(), kLongWork, [&] { return repeat(array, count[0], axis); }));
}

}  // namespace

void define_indexing(nb::module_& m) {
  m.def("take", &taken, "x"_a, "indices"_a, nb::kw_only(), "axis"_a = nb::none(),
        nb::sig("def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array"),
        R"doc(Take elements along an axis.

Parameters
----------
x : Array
    One dimension or more, any dtype.
indices : Array
    Any integer dtype and shape, on x's device. Negative ones count from the end.
axis : int, optional
    Where to take from; may be left out when x has one dimension.

Returns
-------
Array
    A fresh array of x's dtype: x's shape, with that of ``indices`` in the place of the axis.

Raises
------
DtypeError
    When the indices are no integers.
IndexError
    For an index or axis out of bounds; on an accelerator an index is checked when the device is at it, and
    reported by the next wait, as AsyncIndexError.
DimensionError
    For a 0-d x, or an axis left out where there are several.

Notes
-----
Array API standard 2024.12, "Indexing Functions": ``take``. Does not wait.

Examples
--------
>>> import crossdock.core as cx
>>> cx.take(cx.asarray([10, 20, 30], device='native:0'), cx.asarray([2, -2], device='native:0')).tolist()
[30, 20])doc");
  m.def("take_along_axis", &taken_along_axis, "x"_a, "indices"_a, nb::kw_only(), "axis"_a = -1,
        nb::sig("def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array"),
        R"doc(Take one element for each index, along an axis.

Parameters
----------
x : Array
    One dimension or more, any dtype.
indices : Array
    Any integer dtype, as many dimensions as x, on its device; outside the axis both shapes broadcast. Negative ones
    count from the end.
axis : int, default -1
    Where to take from.

Returns
-------
Array
    A fresh array of x's dtype, along the axis as long as ``indices``.

Raises
------
DtypeError
    When the indices are no integers.
IndexError
    For an index or axis out of bounds; on an accelerator an index is checked when the device is at it, and
    reported by the next wait, as AsyncIndexError.
DimensionError
    When the shapes do not go together.

Notes
-----
Array API standard 2024.12, "Indexing Functions": ``take_along_axis``. Does not wait.

Examples
--------
>>> import crossdock.core as cx
>>> x = cx.asarray([[3, 1, 2], [6, 5, 4]], device='native:0')
>>> cx.take_along_axis(x, cx.asarray([[1], [2]], device='native:0')).tolist()
[[1], [4]])doc");
  m.def("nonzero", &where_nonzero, "x"_a, nb::sig("def nonzero(x: Array, /) -> tuple[Array, ...]"),
        R"doc(Find the elements that are not zero.

Parameters
----------
x : Array
    One dimension or more, any dtype that is computed with. NaN is not zero; a complex number is zero when both parts
    are.

Returns
-------
tuple[Array, ...]
    For each dimension of x a fresh int64 array with the indices of these elements, in C order.

Raises
------
DimensionError
    For a 0-d x.

Notes
-----
Array API standard 2024.12, "Searching Functions": ``nonzero``. On an accelerator it waits for their number, an implicit
transfer.

Examples
--------
>>> import crossdock.core as cx
>>> [i.tolist() for i in cx.nonzero(cx.asarray([[0, 5], [7, 0]], device='native:0'))]
[[0, 1], [1, 0]])doc");
  m.def("count_nonzero", &nonzero_counted, "x"_a, nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = false,
        nb::sig("def count_nonzero(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None, keepdims: "
                "bool = False) -> Array"),
        R"doc(Count the elements that are not zero.

Parameters
----------
x : Array
    Any dtype that is computed with. NaN is not zero; a complex number is zero when both parts are.
axis : int or sequence of int, optional
    Which axes to count along; all when omitted.
keepdims : bool, default False
    Whether these axes stay, with extent 1.

Returns
-------
Array
    A fresh int64 array.

Notes
-----
Array API standard 2024.12, "Searching Functions": ``count_nonzero``. Does not wait.

Examples
--------
>>> import crossdock.core as cx
>>> cx.count_nonzero(cx.asarray([[0, 5], [7, 1]], device='native:0'), axis=1).tolist()
[1, 2])doc");
  m.def("repeat", &repeated, "x"_a, "repeats"_a, nb::kw_only(), "axis"_a = nb::none(),
        nb::sig("def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array"),
        R"doc(Repeat each element.

Parameters
----------
x : Array
    Any shape and dtype.
repeats : int or Array
    How often: for all elements, or for each along the axis, as a 1-d array of integers of one or as many elements, on
    x's device.
axis : int, optional
    Along which axis; when omitted x is flattened in C order.

Returns
-------
Array
    A fresh array of x's dtype, with x's shape but for the axis.

Raises
------
ValueError
    For a negative number.
DtypeError
    When the array of repeats has no integers.
DimensionError
    When it has another shape, or the result would be too long.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``repeat``. An array of repeats is waited for on an accelerator, as
the result's shape depends on it: implicit transfers.

Examples
--------
>>> import crossdock.core as cx
>>> cx.repeat(cx.asarray([1, 2], device='native:0'), 2).tolist()
[1, 1, 2, 2])doc");
}

}  // namespace crossdock::bind
