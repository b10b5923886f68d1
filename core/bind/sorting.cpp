// Sorting and searching functions of the namespace.
#include "crossdock/ops/sorting.h"

#include <nanobind/nanobind.h>

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

constexpr const char* kSort = R"doc(Sort along an axis, always stably.

NaN counts as greater than every number: it comes last in ascending order, first in descending order. 0.0 and -0.0 are
equal, False comes before True.

Parameters
----------
x : Array
    One dimension or more; bool, an integer or a real floating-point dtype.
axis : int, default -1
    The axis to sort along.
descending : bool, default False
    From the largest to the smallest. Equal elements keep their order here too.
stable : bool, default True
    Accepted for the standard's sake: the sort is stable either way.

Returns
-------
Array
    Fresh, of x's shape and dtype, on x's device. Does not wait.

Raises
------
DtypeError
    For complex numbers, which have no order, and for dtypes of storage.
DimensionError
    For a 0-d array.
IndexError
    For an axis that x does not have.

Notes
-----
Array API standard 2024.12, "Sorting Functions": ``sort``.)doc";

constexpr const char* kArgsort = R"doc(The indices that would sort along an axis, always stably.

NaN counts as greater than every number: it comes last in ascending order, first in descending order. 0.0 and -0.0 are
equal, False comes before True.

Parameters
----------
x : Array
    One dimension or more; bool, an integer or a real floating-point dtype.
axis : int, default -1
    The axis to sort along.
descending : bool, default False
    From the largest to the smallest. Indices of equal elements ascend here too.
stable : bool, default True
    Accepted for the standard's sake: the sort is stable either way.

Returns
-------
Array
    Fresh, int64, of x's shape, on x's device. Does not wait.

Raises
------
DtypeError
    For complex numbers, which have no order, and for dtypes of storage.
DimensionError
    For a 0-d array.
IndexError
    For an axis that x does not have.

Notes
-----
Array API standard 2024.12, "Sorting Functions": ``argsort``.)doc";

constexpr const char* kSearchsorted = R"doc(Where values would be inserted into a sorted array to keep it sorted.

The order is that of ``sort``: NaN above all numbers, 0.0 equal to -0.0. What an array out of order gives is not defined.

Parameters
----------
x1 : Array
    One-dimensional and ascending, or ascending when taken in the order of ``sorter``.
x2 : Array
    The values, of any shape. Both dtypes promote to one that is bool, an integer or real floating-point.
side : {'left', 'right'}, default 'left'
    Where a value goes that is there already: before all its equals, or behind them.
sorter : Array, optional
    Indices that sort x1, as ``argsort`` gives them: x1's shape, an integer dtype.

Returns
-------
Array
    Fresh, int64, of x2's shape, on its device: numbers in [0, M], M being the size of x1. Does not wait.

Raises
------
DtypeError
    For dtypes without a common one, complex numbers, dtypes of storage; for a sorter that is not of integers.
DimensionError
    When x1 is not one-dimensional or ``sorter`` has another shape.
IndexError
    For an index in ``sorter`` that x1 does not have; on an accelerator when the device is waited for.
ValueError
    For another side.

Notes
-----
Array API standard 2024.12, "Searching Functions": ``searchsorted``.)doc";

bool is_right(nb::handle side) {
  if (PyUnicode_Check(side.ptr())) {
    const std::string text = text_of(side);
    if (text == "left" || text == "right") return text == "right";
  }
  throw ValueError("searchsorted: side is 'left' or 'right', not " + text_of(nb::repr(side)));
}

void define_sort(nb::module_& m, Op op, const char* signature, const char* doc) {
  m.def(
      name(op).data(),
      [op](nb::handle x, std::int64_t axis, bool descending, bool) {
        const Array& array = array_of(x, name(op).data());
        return to_python(unlocked(array.device(), array.size(), [&] { return sort(op, array, axis, descending); }));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = -1, "descending"_a = false, "stable"_a = true, nb::sig(signature), doc);
}

}  // namespace

void define_sorting(nb::module_& m) {
  define_sort(m, Op::sort,
              "def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array",
              kSort);
  define_sort(m, Op::argsort,
              "def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array",
              kArgsort);
  m.def(
      "searchsorted",
      [](nb::handle x1, nb::handle x2, nb::handle side, nb::handle sorter) {
        const Array& sorted = array_of(x1, "searchsorted", array_or_null(x2.ptr()));
        const Array& values = array_of(x2, "searchsorted", &sorted);
        std::optional<Array> order;
        if (!sorter.is_none()) order = array_of(sorter, "searchsorted", &sorted);
        const bool right = is_right(side);
        return to_python(unlocked(sorted.device(), sorted.size() + values.size(),
                                  [&] { return searchsorted(sorted, values, right, order); }));
      },
      "x1"_a.none(), "x2"_a.none(), nb::kw_only(), "side"_a = "left", "sorter"_a = nb::none(),
      nb::sig("def searchsorted(x1: Array, x2: Array, /, *, side: str = 'left', sorter: Array | None = None) -> Array"),
      kSearchsorted);
}

}  // namespace crossdock::bind
