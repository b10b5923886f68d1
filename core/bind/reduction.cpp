// Reductions of the namespace and of Array.
#include "crossdock/ops/reduction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <deque>
#include <string>

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

// What a docstring says of one reduction. A method says the first line and where the rest is.
struct Words {
  const char* summary;
  const char* takes;
  const char* gives;
  const char* errors;
  const char* section;
  bool dtype = false;
};

constexpr const char* kAxes =
    "axis : int or sequence of int, optional\n    Over which; negative ones count from the end; all when omitted.\n";
constexpr const char* kAxis =
    "axis : int, optional\n    Along which; negative ones count from the end; all elements in C order when omitted.\n";
constexpr const char* kDtype =
    "dtype : optional\n    Of the result, to which x is converted first; when omitted, x's own, but 64 bits for "
    "integers\n"
    "    and bool.\n";

// nanobind keeps the pointers it is given.
const char* doc(const Words& words, const char* word, const char* axes, bool method) {
  static std::deque<std::string> texts;
  if (method) return texts.emplace_back(std::string(words.summary) + " As ``crossdock.core." + word + "``.").c_str();
  return texts
      .emplace_back(
          std::string(words.summary) + "\n\nParameters\n----------\nx : Array\n    " + words.takes + "\n" + axes +
          (words.dtype ? kDtype : "") + "keepdims : bool\n    Whether the axes stay, with extent 1.\n\n" +
          "Returns\n-------\nArray\n    Fresh, in C order, on x's device; does not wait. " + words.gives +
          "\n\nRaises\n------\n" + words.errors +
          "\nIndexError, DimensionError\n    For an axis outside of [-ndim, ndim); for one named twice.\n\n" +
          "Notes\n-----\nArray API standard 2024.12, \"" + words.section + " Functions\": ``" + word + "``.\n")
      .c_str();
}

constexpr const char* kStorage =
    "DtypeError\n    For a storage dtype, or a ``dtype`` that is not numeric or would drop imaginary parts.";
constexpr const char* kReal =
    "DtypeError\n    For a dtype that is not real.\nValueError\n    Where the axes have no element.";

constexpr Words kSum{"Sum over the axes, or over all elements.",
                     "Numeric or bool.",
                     "0 where the axes have no element. Integers wrap\n    around; floating-point numbers add up in 64 "
                     "bits (each part), in an order that does not depend on the threads.",
                     kStorage,
                     "Statistical",
                     true};
constexpr Words kProd{
    "Product over the axes, or over all elements.",
    "Numeric or bool.",
    "1 where the axes have no element. Integers wrap\n    around; floating-point numbers multiply in 64 "
    "bits (each part), in an order that does not depend on the threads.",
    kStorage,
    "Statistical",
    true};
constexpr Words kMax{"Largest element over the axes, or of all.", "Real.", "Of x's dtype; NaN wins.", kReal,
                     "Statistical"};
constexpr Words kMin{"Smallest element over the axes, or of all.", "Real.", "Of x's dtype; NaN wins.", kReal,
                     "Statistical"};
constexpr Words kAny{"Whether some element is not zero, over the axes or at all.", "Numeric or bool.",
                     "bool; False where the axes have no\n    element. NaN is not zero.",
                     "DtypeError\n    For a storage dtype.", "Utility"};
constexpr Words kAll{"Whether no element is zero, over the axes or at all.", "Numeric or bool.",
                     "bool; True where the axes have no element.\n    NaN is not zero.",
                     "DtypeError\n    For a storage dtype.", "Utility"};
constexpr Words kArgmax{"Where the first largest element is.", "Real.", "int64. NaN counts as largest.", kReal,
                        "Searching"};
constexpr Words kArgmin{"Where the first smallest element is.", "Real.", "int64. NaN counts as smallest.", kReal,
                        "Searching"};
constexpr Words kMean{"Arithmetic mean over the axes, or of all elements.", "Floating-point.",
                      "Of x's dtype; added up in 64 bits (each part).\n    NaN where the axes have no element.",
                      "DtypeError\n    For another dtype.", "Statistical"};

template <class Scope>
void define_reductions_in(Scope& s) {
  constexpr bool method = std::is_same_v<Scope, nb::class_<Array>>;
  const auto with_dtype = [&](Op op, const char* function, const char* bound, const Words& words) {
    define(
        s, name(op).data(),
        [op](nb::handle x, nb::handle axis, nb::handle dtype, bool keepdims) {
          return reduced(op, x, axis, keepdims, dtype);
        },
        "axis"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(), "keepdims"_a = false,
        nb::sig(method ? bound : function), doc(words, name(op).data(), kAxes, method));
  };
  const auto plain = [&](Op op, const char* function, const char* bound, const Words& words) {
    define(
        s, name(op).data(),
        [op](nb::handle x, nb::handle axis, bool keepdims) { return reduced(op, x, axis, keepdims, nb::none()); },
        "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, nb::sig(method ? bound : function),
        doc(words, name(op).data(), kAxes, method));
  };
  const auto arg = [&](Op op, const char* function, const char* bound, const Words& words) {
    define(
        s, name(op).data(),
        [op](nb::handle x, std::optional<std::int64_t> axis, bool keepdims) {
          return arg_reduced(op, x, axis, keepdims);
        },
        "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, nb::sig(method ? bound : function),
        doc(words, name(op).data(), kAxis, method));
  };
#define CROSSDOCK_SIGNATURES(word, parameters) \
  "def " word "(x: Array, /, " parameters ") -> Array", "def " word "(self, " parameters ") -> Array"
#define CROSSDOCK_KEEPDIMS "keepdims: bool = False"
#define CROSSDOCK_ONE_AXIS "axis: int | None = None, *, " CROSSDOCK_KEEPDIMS
  with_dtype(Op::sum, CROSSDOCK_SIGNATURES("sum", CROSSDOCK_AXES "dtype: typing.Any = None, " CROSSDOCK_KEEPDIMS),
             kSum);
  with_dtype(Op::prod, CROSSDOCK_SIGNATURES("prod", CROSSDOCK_AXES "dtype: typing.Any = None, " CROSSDOCK_KEEPDIMS),
             kProd);
  plain(Op::max, CROSSDOCK_SIGNATURES("max", CROSSDOCK_AXES CROSSDOCK_KEEPDIMS), kMax);
  plain(Op::min, CROSSDOCK_SIGNATURES("min", CROSSDOCK_AXES CROSSDOCK_KEEPDIMS), kMin);
  plain(Op::any, CROSSDOCK_SIGNATURES("any", CROSSDOCK_AXES CROSSDOCK_KEEPDIMS), kAny);
  plain(Op::all, CROSSDOCK_SIGNATURES("all", CROSSDOCK_AXES CROSSDOCK_KEEPDIMS), kAll);
  arg(Op::argmax, CROSSDOCK_SIGNATURES("argmax", CROSSDOCK_ONE_AXIS), kArgmax);
  arg(Op::argmin, CROSSDOCK_SIGNATURES("argmin", CROSSDOCK_ONE_AXIS), kArgmin);
  constexpr const char* kSignatures[] = {CROSSDOCK_SIGNATURES("mean", CROSSDOCK_AXES CROSSDOCK_KEEPDIMS)};
  define(s, "mean", &averaged, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, nb::sig(kSignatures[method]),
         doc(kMean, "mean", kAxes, method));
#undef CROSSDOCK_ONE_AXIS
#undef CROSSDOCK_KEEPDIMS
#undef CROSSDOCK_SIGNATURES
#undef CROSSDOCK_AXES
}

}  // namespace

void define_reductions(nb::module_& m) { define_reductions_in(m); }

void define_reduction_methods(nb::class_<Array>& c) { define_reductions_in(c); }

}  // namespace crossdock::bind
