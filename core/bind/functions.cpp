// Creation, manipulation, reductions and linear algebra of the namespace.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <array>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/linalg.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

constexpr std::int64_t kLong = 1 << 20;

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

void define_creation(nb::module_& m) {
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
        return to_python(unlocked(place, kLong, [&] { return arange(first, last, pace, wanted, place); }));
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

void define_manipulation(nb::module_& m) {
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
      "x in another shape, one extent of which may be -1; a view where the strides allow it, unless ``copy``.");
  m.def(
      "permute_dims",
      [](nb::handle x, nb::handle axes) {
        return to_python(permute_dims(array_of(x, "permute_dims"), dims_of(axes, "permute_dims")));
      },
      "x"_a.none(), "axes"_a, nb::sig("def permute_dims(x: Array, /, axes: collections.abc.Sequence[int]) -> Array"),
      "The dimensions in another order; a view.");
  m.def(
      "matrix_transpose", [](nb::handle x) { return to_python(matrix_transpose(array_of(x, "matrix_transpose"))); },
      "x"_a.none(), nb::sig("def matrix_transpose(x: Array, /) -> Array"), "The last two dimensions swapped; a view.");
  m.def(
      "moveaxis",
      [](nb::handle x, nb::handle source, nb::handle destination) {
        return to_python(
            moveaxis(array_of(x, "moveaxis"), dims_of(source, "moveaxis"), dims_of(destination, "moveaxis")));
      },
      "x"_a.none(), "source"_a, "destination"_a,
      nb::sig("def moveaxis(x: Array, source: int | collections.abc.Sequence[int], destination: int | "
              "collections.abc.Sequence[int], /) -> Array"),
      "Dimensions moved to other places, the rest in order; a view.");
  m.def(
      "expand_dims",
      [](nb::handle x, nb::handle axis) {
        return to_python(expand_dims(array_of(x, "expand_dims"), dims_of(axis, "expand_dims")));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def expand_dims(x: Array, /, *, axis: int | collections.abc.Sequence[int] = 0) -> Array"),
      "With dimensions of extent 1 at the places named; a view.");
  m.def(
      "squeeze",
      [](nb::handle x, nb::handle axis) {
        return to_python(squeeze(array_of(x, "squeeze"), dims_of(axis, "squeeze")));
      },
      "x"_a.none(), "axis"_a, nb::sig("def squeeze(x: Array, /, axis: int | collections.abc.Sequence[int]) -> Array"),
      "Without the dimensions named, which must have extent 1; a view.");
  m.def(
      "flip", [](nb::handle x, nb::handle axis) { return to_python(flip(array_of(x, "flip"), axes_of(axis, "flip"))); },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(),
      nb::sig("def flip(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None) -> Array"),
      "Elements in reverse order along the axes named, or all; a view.");
  m.def(
      "broadcast_to",
      [](nb::handle x, nb::handle shape) {
        return to_python(array_of(x, "broadcast_to").broadcast_to(dims_of(shape, "broadcast_to")));
      },
      "x"_a.none(), "shape"_a.none(),
      nb::sig("def broadcast_to(x: Array, /, shape: int | collections.abc.Sequence[int]) -> Array"),
      "x repeated to ``shape``; a view, read-only where it repeats elements.");
  m.def(
      "broadcast_arrays",
      [](nb::args arrays) {
        std::vector<Array> parts;
        for (nb::handle item : arrays) parts.push_back(array_of(item, "broadcast_arrays"));
        nb::list out;
        for (Array& array : broadcast_arrays(parts)) out.append(to_python(std::move(array)));
        return out;
      },
      nb::sig("def broadcast_arrays(*arrays: Array) -> list[Array]"), "Views of all arrays in their common shape.");
  m.def(
      "concat",
      [](nb::handle arrays, std::optional<std::int64_t> axis) {
        const auto parts = arrays_of(arrays, "concat");
        return to_python(parts.empty() ? concat(parts, axis)
                                       : unlocked(parts[0].device(), kLong, [&] { return concat(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a.none() = 0,
      nb::sig("def concat(arrays: list[Array] | tuple[Array, ...], /, *, axis: int | None = 0) -> Array"),
      "Arrays one after the other along an axis (None: all flattened); a fresh array.");
  m.def(
      "stack",
      [](nb::handle arrays, std::int64_t axis) {
        const auto parts = arrays_of(arrays, "stack");
        return to_python(parts.empty() ? stack(parts, axis)
                                       : unlocked(parts[0].device(), kLong, [&] { return stack(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def stack(arrays: list[Array] | tuple[Array, ...], /, *, axis: int = 0) -> Array"),
      "Arrays of one shape along a new axis; a fresh array.");
  m.def(
      "astype",
      [](nb::handle x, nb::handle dtype, bool copy, nb::handle device) {
        Array array = array_of(x, "astype");
        const Dtype wanted = dtype_of(dtype);
        require_castable(array.dtype(), wanted);
        Device& place = device.is_none() ? array.device() : device_of(device);
        return to_python(unlocked(place, kLong, [&] {
          const bool moves = &place != &array.device();
          if (moves) array = to_device(array, place);
          return (copy && !(moves && !place.is_host())) || wanted != array.dtype() ? astype(array, wanted) : array;
        }));
      },
      "x"_a.none(), "dtype"_a, nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
      nb::sig("def astype(x: Array, dtype: typing.Any, /, *, copy: bool = True, device: Device | str | None = None) -> "
              "Array"),
      "x converted to ``dtype`` as C would, complex to real refused; a fresh array unless ``copy=False`` and nothing "
      "changes.");
  m.def(
      "matmul",
      [](nb::handle x1, nb::handle x2) {
        const Array& a = array_of(x1, "matmul", array_or_null(x2.ptr()));
        const Array& b = array_of(x2, "matmul", &a);
        return to_python(unlocked(a.device(), kLong, [&] { return matmul(a, b); }));
      },
      "x1"_a.none(), "x2"_a.none(), nb::sig("def matmul(x1: Array, x2: Array, /) -> Array"),
      "The matrix product; vectors and leading dimensions as the array API standard has it. DimensionError names both "
      "shapes.");
}

// One reduction as a function of the namespace and as a method: op(x, axis, keepdims[, dtype]).
nb::object reduced(Op op, nb::handle x, nb::handle axis, bool keepdims, nb::handle dtype) {
  const Array& array = array_of(x, name(op).data());
  const auto axes = axes_of(axis, name(op).data());
  const auto wanted = optional_dtype(dtype);
  return to_python(unlocked(array.device(), array.size(), [&] { return reduce(op, array, axes, keepdims, wanted); }));
}
nb::object averaged(nb::handle x, nb::handle axis, bool keepdims) {
  const Array& array = array_of(x, "mean");
  const auto axes = axes_of(axis, "mean");
  return to_python(unlocked(array.device(), array.size(), [&] { return mean(array, axes, keepdims); }));
}
nb::object arg_reduced(Op op, nb::handle x, std::optional<std::int64_t> axis, bool keepdims) {
  const Array& array = array_of(x, name(op).data());
  return to_python(unlocked(array.device(), array.size(), [&] { return arg_reduce(op, array, axis, keepdims); }));
}

#define CROSSDOCK_AXES "axis: int | collections.abc.Sequence[int] | None = None, *, "

// nanobind counts a method's `self` by itself; a function names its array.
template <class Function, class... Extra>
void define(nb::module_& m, const char* word, Function&& function, const Extra&... extra) {
  m.def(word, std::forward<Function>(function), "x"_a, extra...);
}
template <class Function, class... Extra>
void define(nb::class_<Array>& c, const char* word, Function&& function, const Extra&... extra) {
  c.def(word, std::forward<Function>(function), extra...);
}

template <class Scope>
void define_reductions(Scope& s) {
  constexpr bool method = std::is_same_v<Scope, nb::class_<Array>>;
  const auto with_dtype = [&](Op op, const char* function, const char* bound, const char* doc) {
    define(
        s, name(op).data(),
        [op](nb::handle x, nb::handle axis, nb::handle dtype, bool keepdims) {
          return reduced(op, x, axis, keepdims, dtype);
        },
        "axis"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(), "keepdims"_a = false,
        nb::sig(method ? bound : function), doc);
  };
  const auto plain = [&](Op op, const char* function, const char* bound, const char* doc) {
    define(
        s, name(op).data(),
        [op](nb::handle x, nb::handle axis, bool keepdims) { return reduced(op, x, axis, keepdims, nb::none()); },
        "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, nb::sig(method ? bound : function), doc);
  };
  const auto arg = [&](Op op, const char* function, const char* bound, const char* doc) {
    define(
        s, name(op).data(),
        [op](nb::handle x, std::optional<std::int64_t> axis, bool keepdims) {
          return arg_reduced(op, x, axis, keepdims);
        },
        "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, nb::sig(method ? bound : function), doc);
  };
  with_dtype(Op::sum,
             "def sum(x: Array, /, " CROSSDOCK_AXES "dtype: typing.Any = None, keepdims: bool = False) -> Array",
             "def sum(self, " CROSSDOCK_AXES "dtype: typing.Any = None, keepdims: bool = False) -> Array",
             "Sum over the axes, or all; integers and bool add up in 64 bits unless ``dtype``. Stays on the device.");
  with_dtype(Op::prod,
             "def prod(x: Array, /, " CROSSDOCK_AXES "dtype: typing.Any = None, keepdims: bool = False) -> Array",
             "def prod(self, " CROSSDOCK_AXES "dtype: typing.Any = None, keepdims: bool = False) -> Array",
             "Product over the axes, or all; integers multiply in 64 bits unless ``dtype``. Stays on the device.");
  plain(Op::max, "def max(x: Array, /, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "def max(self, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "Largest element over the axes, or all; NaN wins.");
  plain(Op::min, "def min(x: Array, /, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "def min(self, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "Smallest element over the axes, or all; NaN wins.");
  plain(Op::any, "def any(x: Array, /, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "def any(self, " CROSSDOCK_AXES "keepdims: bool = False) -> Array", "Whether some element is not zero; bool.");
  plain(Op::all, "def all(x: Array, /, " CROSSDOCK_AXES "keepdims: bool = False) -> Array",
        "def all(self, " CROSSDOCK_AXES "keepdims: bool = False) -> Array", "Whether no element is zero; bool.");
  arg(Op::argmax, "def argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array",
      "def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Array",
      "int64 index of the first largest element along the axis, or in C order over all; NaN counts as largest.");
  arg(Op::argmin, "def argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array",
      "def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Array",
      "int64 index of the first smallest element along the axis, or in C order over all; NaN counts as smallest.");
  define(s, "mean", &averaged, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
         nb::sig(method ? "def mean(self, " CROSSDOCK_AXES "keepdims: bool = False) -> Array"
                        : "def mean(x: Array, /, " CROSSDOCK_AXES "keepdims: bool = False) -> Array"),
         "Arithmetic mean over the axes, or all, of floating-point numbers. Stays on the device.");
}

}  // namespace

void define_functions(nb::module_& m) {
  define_creation(m);
  define_like(m);
  define_manipulation(m);
  define_reductions(m);
}

void define_reduction_methods(nb::class_<Array>& c) { define_reductions(c); }

}  // namespace crossdock::bind
