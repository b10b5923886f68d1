// Cumulative and statistical functions of the namespace.
#include "crossdock/ops/statistics.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

void define_scan(nb::module_& m, Op op, const char* signature, const char* doc) {
  m.def(
      name(op).data(),
      [op](nb::handle x, std::optional<std::int64_t> axis, nb::handle dtype, bool include_initial) {
        const Array& array = array_of(x, name(op).data());
        const auto wanted = optional_dtype(dtype);
        return to_python(unlocked(array.device(), array.size(),
                                  [&] { return accumulate(op, array, axis, wanted, include_initial); }));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "include_initial"_a = false,
      nb::sig(signature), doc);
}

using Spread = Array (*)(const Array&, const std::optional<Dims>&, double, bool);

void define_spread(nb::module_& m, const char* word, Spread spread, const char* signature, const char* doc) {
  m.def(
      word,
      [word, spread](nb::handle x, nb::handle axis, double correction, bool keepdims) {
        const Array& array = array_of(x, word);
        const auto axes = axes_of(axis, word);
        return to_python(
            unlocked(array.device(), array.size(), [&] { return spread(array, axes, correction, keepdims); }));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(), "correction"_a = 0.0, "keepdims"_a = false,
      nb::sig(signature), doc);
}

}  // namespace

void define_statistics(nb::module_& m) {
  define_scan(m, Op::cumulative_sum,
              "def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: typing.Any = None, include_initial: "
              "bool = False) -> Array",
              R"doc(Sums of the first 1, 2, ... elements along an axis.

Parameters
----------
x : Array
    Numeric or bool, of one dimension or more.
axis : int, optional
    Along which; may be left out for one dimension only.
dtype : optional
    Of the result, to which x is converted first; when omitted, x's own, but 64 bits for integers and bool.
include_initial : bool
    Whether 0 comes first, so that the axis is longer by one.

Returns
-------
Array
    Fresh, in C order, on x's device; does not wait. Integers wrap around. Real floating-point numbers accumulate in
    float64 and complex ones in complex128, one after the other; each result is rounded to ``dtype``.

Raises
------
DtypeError
    For a storage dtype, or a ``dtype`` that is not numeric or would drop imaginary parts.
DimensionError
    For a 0-d array, or without ``axis`` for several dimensions.
IndexError
    For an axis outside of [-ndim, ndim).

Notes
-----
Array API standard 2024.12, "Statistical Functions": ``cumulative_sum``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.cumulative_sum(cx.asarray([1, 2, 3], device='native:0'), include_initial=True).tolist()
[0, 1, 3, 6]
)doc");
  define_scan(m, Op::cumulative_prod,
              "def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: typing.Any = None, include_initial: "
              "bool = False) -> Array",
              R"doc(Products of the first 1, 2, ... elements along an axis.

Parameters
----------
x : Array
    Numeric or bool, of one dimension or more.
axis : int, optional
    Along which; may be left out for one dimension only.
dtype : optional
    Of the result, to which x is converted first; when omitted, x's own, but 64 bits for integers and bool.
include_initial : bool
    Whether 1 comes first, so that the axis is longer by one.

Returns
-------
Array
    Fresh, in C order, on x's device; does not wait. Integers wrap around. Real floating-point numbers accumulate in
    float64 and complex ones in complex128, one after the other; each result is rounded to ``dtype``.

Raises
------
DtypeError
    For a storage dtype, or a ``dtype`` that is not numeric or would drop imaginary parts.
DimensionError
    For a 0-d array, or without ``axis`` for several dimensions.
IndexError
    For an axis outside of [-ndim, ndim).

Notes
-----
Array API standard 2024.12, "Statistical Functions": ``cumulative_prod``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.cumulative_prod(cx.asarray([2, 3, 4], device='native:0')).tolist()
[2, 6, 24]
)doc");
  define_spread(m, "var", &var,
                "def var(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None, correction: float = "
                "0.0, keepdims: bool = False) -> Array",
                R"doc(Variance over the axes, or over all elements.

Parameters
----------
x : Array
    Real floating-point.
axis : int or sequence of int, optional
    Over which; all when omitted.
correction : float
    What is taken from the number of elements to give the divisor: 0 for a population, 1 for a sample.
keepdims : bool
    Whether the axes stay, with extent 1.

Returns
-------
Array
    Fresh, of x's dtype, on x's device; does not wait. Computed in float64 and two passes, the mean and then the
    deviations from it, with the rounding error of the mean taken out. NaN where the divisor is not positive, and where
    an element is NaN or infinite.

Raises
------
DtypeError
    For any other dtype.
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice.

Notes
-----
Array API standard 2024.12, "Statistical Functions": ``var``.

Examples
--------
>>> import crossdock.core as cx
>>> float(cx.var(cx.asarray([1.0, 2.0, 3.0, 6.0], device='native:0')))
3.5
)doc");
  define_spread(m, "std", &standard_deviation,
                "def std(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None, correction: float = "
                "0.0, keepdims: bool = False) -> Array",
                R"doc(Standard deviation over the axes, or over all elements: the square root of ``var``.

Parameters
----------
x : Array
    Real floating-point.
axis : int or sequence of int, optional
    Over which; all when omitted.
correction : float
    What is taken from the number of elements to give the divisor: 0 for a population, 1 for a sample.
keepdims : bool
    Whether the axes stay, with extent 1.

Returns
-------
Array
    Fresh, of x's dtype, on x's device; does not wait. NaN where the divisor is not positive, and where an element is
    NaN or infinite. Computed in float64, the root included.

Raises
------
DtypeError
    For any other dtype.
IndexError, DimensionError
    For an axis outside of [-ndim, ndim); for one named twice.

Notes
-----
Array API standard 2024.12, "Statistical Functions": ``std``.

Examples
--------
>>> import crossdock.core as cx
>>> float(cx.std(cx.asarray([1.0, 5.0], device='native:0')))
2.0
)doc");
  m.def(
      "diff",
      [](nb::handle x, std::int64_t axis, std::int64_t n, nb::handle prepend, nb::handle append) {
        const Array& array = array_of(x, "diff");
        const auto part = [&](nb::handle h) { return h.is_none() ? nullptr : &array_of(h, "diff", &array); };
        const Array *before = part(prepend), *after = part(append);
        return to_python(unlocked(array.device(), kLongWork, [&] { return diff(array, axis, n, before, after); }));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = -1, "n"_a = 1, "prepend"_a = nb::none(), "append"_a = nb::none(),
      nb::sig("def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None "
              "= None) -> Array"),
      R"doc(Differences of neighbours along an axis, taken n times.

Parameters
----------
x : Array
    Numeric, of one dimension or more.
axis : int
    Along which; the last when omitted.
n : int
    How many times; 0 gives a copy.
prepend, append : Array, optional
    Joined to x before and after along the axis, first; x's shape outside of the axis.

Returns
-------
Array
    Fresh, in C order, on x's device, of the dtype that the arrays promote to, the axis shorter by ``n`` (not below 0);
    does not wait. Unsigned integers wrap around.

Raises
------
DtypeError
    For bool and storage dtypes, and for dtypes that do not promote.
DimensionError
    For parts that do not fit.
IndexError, ValueError
    For an axis outside of [-ndim, ndim); for a negative ``n``.
MixedDevicesError
    For arrays on several devices.

Notes
-----
Array API standard 2024.12, "Utility Functions": ``diff``.

Examples
--------
>>> import crossdock.core as cx
>>> cx.diff(cx.asarray([1, 4, 9, 16], device='native:0')).tolist()
[3, 5, 7]
)doc");
}

}  // namespace crossdock::bind
