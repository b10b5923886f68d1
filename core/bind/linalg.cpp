// Linear algebra of the namespace; crossdock.core.linalg gives the functions with an underscore their public names.
#include <nanobind/nanobind.h>

#include "convert.h"
#include "crossdock/ops/diagonals.h"
#include "crossdock/ops/equations.h"
#include "crossdock/ops/factorizations.h"
#include "crossdock/ops/norms.h"
#include "crossdock/ops/products.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

template <class Body>
nb::object of_one(nb::handle x, const char* op, Body&& body) {
  const Array& array = array_of(x, op);
  return to_python(unlocked(array.device(), kLongWork, [&] { return body(array); }));
}

template <class Body>
nb::object of_two(nb::handle x1, nb::handle x2, const char* op, Body&& body) {
  const Array& a = array_of(x1, op, array_or_null(x2.ptr()));
  const Array& b = array_of(x2, op, &a);
  return to_python(unlocked(a.device(), kLongWork, [&] { return body(a, b); }));
}

double real_of(nb::handle number, const char* what) {
  const auto scalar = scalar_or_null(number.ptr());
  if (!scalar || std::holds_alternative<bool>(scalar->value) ||
      std::holds_alternative<std::complex<double>>(scalar->value)) {
    throw TypeError(std::string(what) + " takes a real number, not " + text_of(nb::repr(number)));
  }
  std::byte element[16];
  store(*scalar, Dtype::float64, element);
  return std::get<double>(load(element, Dtype::float64).value);
}

std::int64_t integer_of(nb::handle number, const char* what) {
  if (PyIndex_Check(number.ptr()) && !PyBool_Check(number.ptr()) && !array_or_null(number.ptr())) {
    return dims_of(number, what)[0];
  }
  throw TypeError(std::string(what) + ": takes an integer, not " + text_of(nb::repr(number)));
}

nb::object tensordot_of(nb::handle x1, nb::handle x2, nb::handle axes) {
  if (PyIndex_Check(axes.ptr())) {
    const std::int64_t count = integer_of(axes, "tensordot: axes");
    return of_two(x1, x2, "tensordot", [&](const Array& a, const Array& b) { return tensordot(a, b, count); });
  }
  if (!PySequence_Check(axes.ptr()) || PyUnicode_Check(axes.ptr()) || nb::len(axes) != 2) {
    throw TypeError("tensordot: axes is an integer or a pair of sequences of integers, not " + text_of(nb::repr(axes)));
  }
  const Dims first = dims_of(axes[0], "tensordot: axes"), second = dims_of(axes[1], "tensordot: axes");
  return of_two(x1, x2, "tensordot", [&](const Array& a, const Array& b) { return tensordot(a, b, first, second); });
}

std::variant<MatrixNorm, double> matrix_norm_of(nb::handle ord) {
  if (ord.is_none()) return MatrixNorm::frobenius;
  if (!PyUnicode_Check(ord.ptr())) return real_of(ord, "matrix_norm: ord");
  const std::string word = text_of(ord);
  if (word == "fro") return MatrixNorm::frobenius;
  if (word == "nuc") return MatrixNorm::nuclear;
  throw ValueError("matrix_norm: ord can be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not '" + word + "'");
}

std::optional<Argument> rtol_of(nb::handle rtol, const char* op, const Array& beside) {
  if (rtol.is_none()) return std::nullopt;
  if (array_or_null(rtol.ptr())) return argument_of(rtol, op, &beside);
  if (is_numpy_array(rtol.ptr())) refuse_argument(op, rtol.ptr(), &beside);
  return Scalar{real_of(rtol, (std::string(op) + ": rtol").c_str())};
}

void define_products(nb::module_& m) {
  m.def(
      "matmul", [](nb::handle x1, nb::handle x2) { return of_two(x1, x2, "matmul", matmul); }, "x1"_a.none(),
      "x2"_a.none(), nb::sig("def matmul(x1: Array, x2: Array, /) -> Array"),
      R"doc(The matrix product, as ``x1 @ x2``.

Parameters
----------
x1, x2 : Array
    Numeric. Matrices are the last two dimensions, the others broadcast; a 1-d array is a row on the left, a column on
    the right, and that dimension is left out of the result.

Returns
-------
Array
    Fresh, in C order, of the promoted dtype, on the arguments' device; does not wait. Integers wrap around; float16
    and bfloat16 add up in float32.

Raises
------
DimensionError
    Shapes that do not fit, or a 0-d array.
DtypeError
    bool, a storage dtype, or dtypes without a common one.
MixedDevicesError
    Arguments on several devices.

Notes
-----
Array API standard 2024.12, "Linear Algebra Functions": ``matmul``.

Examples
--------
>>> import crossdock.core as cx
>>> x = cx.asarray([[1, 2], [3, 4]], device='native:0')
>>> cx.matmul(x, x).tolist()
[[7, 10], [15, 22]]
)doc");
  m.def("tensordot", &tensordot_of, "x1"_a.none(), "x2"_a.none(), nb::kw_only(), "axes"_a.none() = 2,
        nb::sig("def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[collections.abc.Sequence[int], "
                "collections.abc.Sequence[int]] = 2) -> Array"),
        R"doc(Sums of products over pairs of axes.

Parameters
----------
x1, x2 : Array
    Numeric; nothing is conjugated.
axes : int or pair of sequences of int
    Which axes are summed over: the last N of x1 with the first N of x2 in order, or those of x1 with those of x2.
    Negative axes count from the end. 0 gives all products.

Returns
-------
Array
    Fresh, in C order, of the promoted dtype: the other axes of x1, then those of x2. Does not wait.

Raises
------
DimensionError
    Paired axes of different extents, an axis named twice, or more axes than there are.
IndexError
    An axis out of range.
DtypeError
    bool, a storage dtype, or dtypes without a common one.

Notes
-----
Array API standard 2024.12, "Linear Algebra Functions": ``tensordot``.

Examples
--------
>>> import crossdock.core as cx
>>> x = cx.reshape(cx.arange(6, device='native:0'), (2, 3))
>>> cx.tensordot(x, x).item(), cx.tensordot(x, x, axes=([1], [1])).tolist()
(55, [[5, 14], [14, 50]])
)doc");
  m.def(
      "vecdot",
      [](nb::handle x1, nb::handle x2, nb::handle axis) {
        const std::int64_t place = integer_of(axis, "vecdot: axis");
        return of_two(x1, x2, "vecdot", [&](const Array& a, const Array& b) { return vecdot(a, b, place); });
      },
      "x1"_a.none(), "x2"_a.none(), nb::kw_only(), "axis"_a.none() = -1,
      nb::sig("def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array"),
      R"doc(Dot products of vectors: the sum of ``conj(x1) * x2`` along an axis.

Parameters
----------
x1, x2 : Array
    Numeric, with as many elements along the axis; other dimensions broadcast.
axis : int
    Where the vectors lie, counted from the end (-1 is the last). One counted from the beginning is taken where both
    arrays have as many dimensions.

Returns
-------
Array
    Fresh, in C order, of the promoted dtype, without the axis; does not wait. float16 and bfloat16 add up in float32.

Raises
------
DimensionError
    Shapes that do not fit.
IndexError
    An axis that one of them does not have.
DtypeError
    bool, a storage dtype, or dtypes without a common one.

Notes
-----
Array API standard 2024.12, "Linear Algebra Functions": ``vecdot``.

Examples
--------
>>> import crossdock.core as cx
>>> x = cx.asarray([1 + 2j, 3j], device='native:0')
>>> cx.vecdot(x, x).item()
(14+0j)
)doc");
  m.def(
      "_linalg_outer", [](nb::handle x1, nb::handle x2) { return of_two(x1, x2, "outer", outer); }, "x1"_a.none(),
      "x2"_a.none(), nb::sig("def _linalg_outer(x1: Array, x2: Array, /) -> Array"));
  m.def(
      "_linalg_cross",
      [](nb::handle x1, nb::handle x2, nb::handle axis) {
        const std::int64_t place = integer_of(axis, "cross: axis");
        return of_two(x1, x2, "cross", [&](const Array& a, const Array& b) { return cross(a, b, place); });
      },
      "x1"_a.none(), "x2"_a.none(), "axis"_a.none(),
      nb::sig("def _linalg_cross(x1: Array, x2: Array, axis: int, /) -> Array"));
}

void define_diagonals(nb::module_& m) {
  m.def(
      "_linalg_diagonal",
      [](nb::handle x, nb::handle offset) {
        return to_python(diagonal(array_of(x, "diagonal"), integer_of(offset, "diagonal: offset")));
      },
      "x"_a.none(), "offset"_a.none(), nb::sig("def _linalg_diagonal(x: Array, offset: int, /) -> Array"));
  m.def(
      "_linalg_trace",
      [](nb::handle x, nb::handle offset, nb::handle dtype) {
        const std::int64_t place = integer_of(offset, "trace: offset");
        const auto wanted = optional_dtype(dtype);
        return of_one(x, "trace", [&](const Array& array) { return trace(array, place, wanted); });
      },
      "x"_a.none(), "offset"_a.none(), "dtype"_a.none(),
      nb::sig("def _linalg_trace(x: Array, offset: int, dtype: typing.Any, /) -> Array"));
}

void define_factorizations(nb::module_& m) {
  m.def(
      "_linalg_cholesky",
      [](nb::handle x, bool upper) {
        return of_one(x, "cholesky", [&](const Array& array) { return cholesky(array, upper); });
      },
      "x"_a.none(), "upper"_a, nb::sig("def _linalg_cholesky(x: Array, upper: bool, /) -> Array"));
  m.def(
      "_linalg_qr",
      [](nb::handle x, bool complete) {
        const Array& array = array_of(x, "qr");
        auto [q, r] = unlocked(array.device(), kLongWork, [&] { return qr(array, complete); });
        return nb::make_tuple(to_python(std::move(q)), to_python(std::move(r)));
      },
      "x"_a.none(), "complete"_a, nb::sig("def _linalg_qr(x: Array, complete: bool, /) -> tuple[Array, Array]"));
  m.def(
      "_linalg_eigh",
      [](nb::handle x) {
        const Array& array = array_of(x, "eigh");
        auto [values, vectors] = unlocked(array.device(), kLongWork, [&] { return eigh(array); });
        return nb::make_tuple(to_python(std::move(values)), to_python(std::move(vectors)));
      },
      "x"_a.none(), nb::sig("def _linalg_eigh(x: Array, /) -> tuple[Array, Array]"));
  m.def(
      "_linalg_eigvalsh", [](nb::handle x) { return of_one(x, "eigvalsh", eigvalsh); }, "x"_a.none(),
      nb::sig("def _linalg_eigvalsh(x: Array, /) -> Array"));
  m.def(
      "_linalg_svd",
      [](nb::handle x, bool full_matrices) {
        const Array& array = array_of(x, "svd");
        auto [u, s, vh] = unlocked(array.device(), kLongWork, [&] { return svd(array, full_matrices); });
        return nb::make_tuple(to_python(std::move(u)), to_python(std::move(s)), to_python(std::move(vh)));
      },
      "x"_a.none(), "full_matrices"_a,
      nb::sig("def _linalg_svd(x: Array, full_matrices: bool, /) -> tuple[Array, Array, Array]"));
  m.def(
      "_linalg_svdvals", [](nb::handle x) { return of_one(x, "svdvals", svdvals); }, "x"_a.none(),
      nb::sig("def _linalg_svdvals(x: Array, /) -> Array"));
}

void define_equations(nb::module_& m) {
  m.def(
      "_linalg_solve", [](nb::handle x1, nb::handle x2) { return of_two(x1, x2, "solve", solve); }, "x1"_a.none(),
      "x2"_a.none(), nb::sig("def _linalg_solve(x1: Array, x2: Array, /) -> Array"));
  m.def(
      "_linalg_inv", [](nb::handle x) { return of_one(x, "inv", inv); }, "x"_a.none(),
      nb::sig("def _linalg_inv(x: Array, /) -> Array"));
  m.def(
      "_linalg_det", [](nb::handle x) { return of_one(x, "det", det); }, "x"_a.none(),
      nb::sig("def _linalg_det(x: Array, /) -> Array"));
  m.def(
      "_linalg_slogdet",
      [](nb::handle x) {
        const Array& array = array_of(x, "slogdet");
        auto [sign, logabsdet] = unlocked(array.device(), kLongWork, [&] { return slogdet(array); });
        return nb::make_tuple(to_python(std::move(sign)), to_python(std::move(logabsdet)));
      },
      "x"_a.none(), nb::sig("def _linalg_slogdet(x: Array, /) -> tuple[Array, Array]"));
  m.def(
      "_linalg_matrix_power",
      [](nb::handle x, nb::handle n) {
        const std::int64_t power = integer_of(n, "matrix_power: n");
        return of_one(x, "matrix_power", [&](const Array& array) { return matrix_power(array, power); });
      },
      "x"_a.none(), "n"_a.none(), nb::sig("def _linalg_matrix_power(x: Array, n: int, /) -> Array"));
  m.def(
      "_linalg_pinv",
      [](nb::handle x, nb::handle rtol) {
        const auto relative = rtol_of(rtol, "pinv", array_of(x, "pinv"));
        return of_one(x, "pinv", [&](const Array& array) { return pinv(array, relative); });
      },
      "x"_a.none(), "rtol"_a.none(), nb::sig("def _linalg_pinv(x: Array, rtol: Array | float | None, /) -> Array"));
  m.def(
      "_linalg_matrix_rank",
      [](nb::handle x, nb::handle rtol) {
        const auto relative = rtol_of(rtol, "matrix_rank", array_of(x, "matrix_rank"));
        return of_one(x, "matrix_rank", [&](const Array& array) { return matrix_rank(array, relative); });
      },
      "x"_a.none(), "rtol"_a.none(),
      nb::sig("def _linalg_matrix_rank(x: Array, rtol: Array | float | None, /) -> Array"));
}

void define_norms(nb::module_& m) {
  m.def(
      "_linalg_vector_norm",
      [](nb::handle x, nb::handle axis, bool keepdims, nb::handle ord) {
        const auto axes = axes_of(axis, "vector_norm");
        const double power = real_of(ord, "vector_norm: ord");
        return of_one(x, "vector_norm", [&](const Array& array) { return vector_norm(array, axes, keepdims, power); });
      },
      "x"_a.none(), "axis"_a.none(), "keepdims"_a, "ord"_a.none(),
      nb::sig("def _linalg_vector_norm(x: Array, axis: int | collections.abc.Sequence[int] | None, keepdims: bool, "
              "ord: float, /) -> Array"));
  m.def(
      "_linalg_matrix_norm",
      [](nb::handle x, bool keepdims, nb::handle ord) {
        const auto kind = matrix_norm_of(ord);
        return of_one(x, "matrix_norm", [&](const Array& array) { return matrix_norm(array, keepdims, kind); });
      },
      "x"_a.none(), "keepdims"_a, "ord"_a.none(),
      nb::sig("def _linalg_matrix_norm(x: Array, keepdims: bool, ord: float | str | None, /) -> Array"));
}

}  // namespace

void define_linalg(nb::module_& m) {
  define_products(m);
  define_diagonals(m);
  define_factorizations(m);
  define_equations(m);
  define_norms(m);
}

}  // namespace crossdock::bind
