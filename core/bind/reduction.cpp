// Reductions of the namespace and of Array.
#include "crossdock/ops/reduction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

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
void define_reductions_in(Scope& s) {
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

void define_reductions(nb::module_& m) { define_reductions_in(m); }

void define_reduction_methods(nb::class_<Array>& c) { define_reductions_in(c); }

}  // namespace crossdock::bind
