// Manipulation functions of the namespace that give fresh arrays; meshgrid, tril and triu.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

void define_joins(nb::module_& m) {
  m.def(
      "concat",
      [](nb::handle arrays, std::optional<std::int64_t> axis) {
        const auto parts = arrays_of(arrays, "concat");
        return to_python(parts.empty() ? concat(parts, axis)
                                       : unlocked(parts[0].device(), kLongWork, [&] { return concat(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a.none() = 0,
      nb::sig("def concat(arrays: list[Array] | tuple[Array, ...], /, *, axis: int | None = 0) -> Array"),
      R"doc(Arrays one after the other along an axis that they have.

Parameters
----------
arrays : list or tuple of Array
    One or more, of one shape but for the axis. Their dtypes promote.
axis : int, optional
    Along which; negative ones count from the end. None: all are flattened first.

Returns
-------
Array
    Fresh, in C order, on the arrays' device, of the dtype that they promote to. Does not wait.

Raises
------
DimensionError, IndexError
    For shapes that differ elsewhere; for an axis outside of [-ndim, ndim).
DtypeError, MixedDevicesError, ValueError
    For dtypes that do not promote, several devices, no array at all.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``concat``.
)doc");
  m.def(
      "stack",
      [](nb::handle arrays, std::int64_t axis) {
        const auto parts = arrays_of(arrays, "stack");
        return to_python(parts.empty() ? stack(parts, axis)
                                       : unlocked(parts[0].device(), kLongWork, [&] { return stack(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def stack(arrays: list[Array] | tuple[Array, ...], /, *, axis: int = 0) -> Array"),
      R"doc(Arrays of one shape along a new axis.

Parameters
----------
arrays : list or tuple of Array
    One or more, of one shape. Their dtypes promote.
axis : int
    Which dimension of the result is the new one; negative ones count from its end.

Returns
-------
Array
    Fresh, in C order, on the arrays' device, of the dtype that they promote to. Does not wait.

Raises
------
DimensionError, IndexError
    For shapes that differ; for an axis outside of the result.
DtypeError, MixedDevicesError, ValueError
    For dtypes that do not promote, several devices, no array at all.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``stack``.
)doc");
}

void define_rearrangements(nb::module_& m) {
  m.def(
      "tile",
      [](nb::handle x, nb::handle repetitions) {
        const Array& array = array_of(x, "tile");
        return to_python(unlocked(array.device(), kLongWork,
                                  [&, times = dims_of(repetitions, "tile")] { return tile(array, times); }));
      },
      "x"_a.none(), "repetitions"_a,
      nb::sig("def tile(x: Array, repetitions: int | collections.abc.Sequence[int], /) -> Array"),
      R"doc(x repeated as a whole along each of its axes.

Parameters
----------
x : Array
    Of any shape and dtype.
repetitions : int or sequence of int
    How many times along each axis, the last one last; the shorter of it and x's shape is filled up with ones in front.

Returns
-------
Array
    Fresh, in C order, on x's device. Does not wait.

Raises
------
ValueError, DimensionError
    For a negative number; for a result of more elements than 64 bits count.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``tile``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.tile(cx.asarray([1, 2], device='native:0'), (2, 2)).tolist()
[[1, 2, 1, 2], [1, 2, 1, 2]]
)doc");
  m.def(
      "roll",
      [](nb::handle x, nb::handle shift, nb::handle axis) {
        const Array& array = array_of(x, "roll");
        const Dims places = dims_of(shift, "roll");
        const auto axes = axes_of(axis, "roll");
        return to_python(unlocked(array.device(), array.size(), [&] { return roll(array, places, axes); }));
      },
      "x"_a.none(), "shift"_a, nb::kw_only(), "axis"_a = nb::none(),
      nb::sig("def roll(x: Array, /, shift: int | collections.abc.Sequence[int], *, axis: int | "
              "collections.abc.Sequence[int] | None = None) -> Array"),
      R"doc(The elements of x moved along axes; what leaves at one end comes in at the other.

Parameters
----------
x : Array
    Of any shape and dtype.
shift : int or sequence of int
    How many places towards larger indices; negative: towards smaller ones. One for all axes, or one for each.
axis : int or sequence of int, optional
    Along which; the shifts of an axis named twice add up. None: x is flattened, shifted and gets its shape back.

Returns
-------
Array
    Fresh, in C order, on x's device. Does not wait.

Raises
------
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for numbers of shifts and axes that do not match.

Notes
-----
Array API standard 2024.12, "Manipulation Functions": ``roll``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.roll(cx.arange(5, device='native:0'), 2).tolist()
[3, 4, 0, 1, 2]
)doc");
  m.def(
      "meshgrid",
      [](const nb::args& items, nb::handle indexing) {
        const std::vector<Array> arrays = arrays_of(items, "meshgrid");
        const std::string word = PyUnicode_Check(indexing.ptr()) ? text_of(indexing) : text_of(nb::repr(indexing));
        if (word != "xy" && word != "ij") throw ValueError("meshgrid: indexing is 'xy' or 'ij', not '" + word + "'");
        if (arrays.empty()) return nb::list();
        return to_python(unlocked(arrays[0].device(), kLongWork, [&] { return meshgrid(arrays, word == "xy"); }));
      },
      "arrays"_a, "indexing"_a.none() = "xy",
      nb::sig("def meshgrid(*arrays: Array, indexing: str = 'xy') -> list[Array]"),
      R"doc(The coordinates of a grid's points, from those along each of its axes.

Parameters
----------
*arrays : Array
    N vectors, of any dtypes; a 0-d array counts as a vector of one element.
indexing : {'xy', 'ij'}
    'ij': the i-th array varies along the i-th dimension. 'xy': the same, with the first two dimensions swapped.

Returns
-------
list of Array
    N fresh arrays of N dimensions, in C order, each of its array's dtype, on their device. Does not wait.

Raises
------
DimensionError, ValueError, MixedDevicesError
    For an array of more dimensions; another ``indexing``; several devices.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``meshgrid``.

Examples
--------
>>> import crossdock.core as cx
>>> x, y = cx.meshgrid(cx.arange(3, device='native:0'), cx.arange(2, device='native:0'))
>>> x.tolist(), y.tolist()
([[0, 1, 2], [0, 1, 2]], [[0, 0, 0], [1, 1, 1]])
)doc");
  m.def(
      "tril",
      [](nb::handle x, nb::handle diagonal) {
        const Array& array = array_of(x, "tril");
        const std::int64_t k = saturated_of(diagonal, "tril");
        return to_python(unlocked(array.device(), array.size(), [&] { return tril(array, k); }));
      },
      "x"_a.none(), nb::kw_only(), "k"_a.none() = 0, nb::sig("def tril(x: Array, /, *, k: int = 0) -> Array"),
      R"doc(The lower triangles of matrices: zeros above a diagonal.

Parameters
----------
x : Array
    Of shape (..., M, N), any dtype.
k : int
    Which diagonal stays the last one: 0 the main one, above it positive, below negative.

Returns
-------
Array
    Fresh, in C order, of x's shape and dtype, on x's device. Does not wait.

Raises
------
DimensionError
    For fewer than two dimensions.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``tril``.
)doc");
  m.def(
      "triu",
      [](nb::handle x, nb::handle diagonal) {
        const Array& array = array_of(x, "triu");
        const std::int64_t k = saturated_of(diagonal, "triu");
        return to_python(unlocked(array.device(), array.size(), [&] { return triu(array, k); }));
      },
      "x"_a.none(), nb::kw_only(), "k"_a.none() = 0, nb::sig("def triu(x: Array, /, *, k: int = 0) -> Array"),
      R"doc(The upper triangles of matrices: zeros below a diagonal.

Parameters
----------
x : Array
    Of shape (..., M, N), any dtype.
k : int
    Which diagonal stays the first one: 0 the main one, above it positive, below negative.

Returns
-------
Array
    Fresh, in C order, of x's shape and dtype, on x's device. Does not wait.

Raises
------
DimensionError
    For fewer than two dimensions.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``triu``.
)doc");
}

}  // namespace

void define_rearrangement(nb::module_& m) {
  define_joins(m);
  define_rearrangements(m);
}

}  // namespace crossdock::bind
