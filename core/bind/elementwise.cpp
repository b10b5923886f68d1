// The elementwise functions of the namespace: a row each.
#include "crossdock/ops/elementwise.h"

#include <nanobind/nanobind.h>

#include <array>
#include <deque>
#include <string>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/rule.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// What a docstring says that the rules do not.
struct Row {
  Op op;
  const char* summary;
  const char* special;  // values worth knowing; may be empty
};

constexpr Row kUnary[] = {
    {Op::abs, "Absolute value; the magnitude of complex numbers.",
     "The magnitude of a complex number with an infinite part is infinite, even beside NaN. The lowest signed "
     "integer\nstays, as its absolute value does not fit."},
    {Op::acos, "Inverse cosine, in radians: 0 to pi.",
     "NaN outside of [-1, 1] for real numbers; complex ones have branch cuts along the real axis outside of it."},
    {Op::acosh, "Inverse hyperbolic cosine.",
     "NaN below 1 for real numbers; complex ones have a branch cut along the real axis below 1."},
    {Op::asin, "Inverse sine, in radians: -pi/2 to pi/2.",
     "NaN outside of [-1, 1] for real numbers; complex ones have branch cuts along the real axis outside of it."},
    {Op::asinh, "Inverse hyperbolic sine.",
     "Complex numbers have branch cuts along the imaginary axis outside of [-1j, 1j]."},
    {Op::atan, "Inverse tangent, in radians: -pi/2 to pi/2.",
     "Complex numbers have branch cuts along the imaginary axis outside of [-1j, 1j]."},
    {Op::atanh, "Inverse hyperbolic tangent.",
     "Infinite at -1 and 1, NaN outside of them for real numbers; complex ones have branch cuts along the real axis "
     "there."},
    {Op::bitwise_invert, "Each bit inverted; logical not for bool.", ""},
    {Op::ceil, "Smallest whole number not below each element.", "Integers, infinities and NaN stay; -0.5 gives -0."},
    {Op::conj, "Complex conjugate; real numbers stay.", ""},
    {Op::cos, "Cosine of radians.", "NaN for infinities."},
    {Op::cosh, "Hyperbolic cosine.", ""},
    {Op::exp, "e to the power of each element.", "Infinity gives infinity, -infinity gives 0."},
    {Op::expm1, "exp(x) - 1, exact near 0.",
     "-infinity gives -1; -0 stays. Of complex numbers too near 0 both parts are exact."},
    {Op::floor, "Largest whole number not above each element.", "Integers, infinities, -0 and NaN stay."},
    {Op::imag, "Imaginary part, as a real dtype.", ""},
    {Op::isfinite, "Whether each element is neither infinite nor NaN.",
     "True for every integer; of complex numbers where both parts are finite."},
    {Op::isinf, "Whether each element is infinite.",
     "False for every integer; of complex numbers where some part is infinite."},
    {Op::isnan, "Whether each element is NaN.", "False for every integer; of complex numbers where some part is NaN."},
    {Op::log, "Natural logarithm.",
     "-infinity at 0, NaN below it for real numbers; complex ones have a branch cut along the negative real axis."},
    {Op::log10, "Logarithm to base 10.",
     "-infinity at 0, NaN below it for real numbers; complex ones have a branch cut along the negative real axis."},
    {Op::log1p, "log(1 + x), exact near 0.",
     "-infinity at -1, NaN below it for real numbers; complex ones have a branch cut along the real axis there."},
    {Op::log2, "Logarithm to base 2.",
     "-infinity at 0, NaN below it for real numbers; complex ones have a branch cut along the negative real axis."},
    {Op::logical_not, "Whether each element is False.", ""},
    {Op::negative, "Each element negated.", "Unsigned integers wrap around, and the lowest signed one stays."},
    {Op::real, "Real part, as a real dtype.", ""},
    {Op::reciprocal, "1 / x.", "Infinite at 0, with the sign of the zero."},
    {Op::round, "Nearest whole number, halves to even.",
     "Parts of complex numbers each by itself. Integers, infinities, -0 and NaN stay."},
    {Op::sign, "-1, 0 or 1 by sign; ``z / abs(z)`` for complex numbers.",
     "NaN stays; both zeros give 0. A complex number with a NaN part gives NaN in both."},
    {Op::signbit, "Whether the sign bit is set.", "True for -0, and for a NaN that has it."},
    {Op::sin, "Sine of radians.", "NaN for infinities; -0 stays."},
    {Op::sinh, "Hyperbolic sine.", "-0 stays."},
    {Op::sqrt, "Square root.",
     "NaN below 0 for real numbers; -0 stays. Complex ones have a branch cut along the negative real axis."},
    {Op::square, "x * x.", "Integers wrap around."},
    {Op::tan, "Tangent of radians.", "NaN for infinities; -0 stays."},
    {Op::tanh, "Hyperbolic tangent.", "-1 and 1 at the infinities; -0 stays."},
    {Op::trunc, "Whole number next to each element towards 0.", "Integers, infinities, -0 and NaN stay."},
};

constexpr Row kBinary[] = {
    {Op::add, "x1 + x2.", "Integers wrap around."},
    {Op::atan2, "Angle of the point (x2, x1) from the first axis, in radians: -pi to pi.",
     "Zeros count with their signs: atan2(0, -0) is pi."},
    {Op::bitwise_and, "Bits set in both; logical and for bool.", ""},
    {Op::bitwise_left_shift, "x1 shifted left by x2 bits.",
     "A shift by as many bits as there are, or by more, gives 0. Negative shifts are not checked."},
    {Op::bitwise_or, "Bits set in one or both; logical or for bool.", ""},
    {Op::bitwise_right_shift, "x1 shifted right by x2 bits, the sign kept.",
     "A shift by as many bits as there are, or by more, leaves the sign alone. Negative shifts are not checked."},
    {Op::bitwise_xor, "Bits set in one but not in both; logical for bool.", ""},
    {Op::copysign, "The magnitude of x1 with the sign of x2.", "The signs of -0 and of NaN count."},
    {Op::divide, "x1 / x2.", "Division by zero gives an infinity with the sign of both, 0 / 0 NaN."},
    {Op::equal, "Whether elements are equal.",
     "NaN equals nothing, -0 equals 0. Complex numbers are equal where both parts are."},
    {Op::floor_divide, "x1 / x2, rounded down to a whole number.",
     "An integer divided by 0 gives 0; the lowest signed one divided by -1 stays. Where a floating-point number is "
     "infinite\nthe result is floor(x1 / x2), as the standard prefers it: -1 // infinity is -0, where Python and NumPy "
     "have -1."},
    {Op::greater, "Whether x1 > x2.", "False beside NaN."},
    {Op::greater_equal, "Whether x1 >= x2.", "False beside NaN."},
    {Op::hypot, "sqrt(x1**2 + x2**2) without overflow in between.", "Infinite where one is, even beside NaN."},
    {Op::less, "Whether x1 < x2.", "False beside NaN."},
    {Op::less_equal, "Whether x1 <= x2.", "False beside NaN."},
    {Op::logaddexp, "log(exp(x1) + exp(x2)) without overflow in between.", ""},
    {Op::logical_and, "Whether both are True.", ""},
    {Op::logical_or, "Whether one or both are True.", ""},
    {Op::logical_xor, "Whether one but not both is True.", ""},
    {Op::maximum, "The larger of both.", "NaN wins."},
    {Op::minimum, "The smaller of both.", "NaN wins."},
    {Op::multiply, "x1 * x2.", "Integers wrap around."},
    {Op::nextafter, "The next representable number from x1 towards x2.", "x2 where both are equal."},
    {Op::not_equal, "Whether elements differ.", "NaN differs from everything, -0 does not differ from 0."},
    {Op::pow, "x1 to the power of x2.",
     "Integers wrap around; a negative power of an integer raises ValueError where x2 is a number, and is rounded "
     "towards 0\nwhere it is an array. x1 ** 0 and 1 ** x2 are 1, even beside NaN."},
    {Op::remainder, "What is left of x1 // x2, with the sign of x2.",
     "An integer divided by 0 leaves 0, a floating-point number NaN. A finite x1 of the sign of an infinite x2 stays, "
     "one of\nthe other sign gives x2, as in Python."},
    {Op::subtract, "x1 - x2.", "Integers wrap around."},
};

std::string noted(const char* special, const std::string& word) {
  return std::string("\n\nNotes\n-----\n") + special + (*special ? "\n\n" : "") +
         "Array API standard 2024.12, \"Element-wise Functions\": ``" + word + "``.\n";
}

const char* given(Gives gives) {
  return gives == Gives::boolean ? "bool" : gives == Gives::real_part ? "x's dtype, or that of its parts" : "x's dtype";
}

std::string unary_doc(const Row& row) {
  const Rule rules = rule(row.op);
  return std::string(row.summary) + "\n\nParameters\n----------\nx : Array\n    Of any shape, and " +
         words(rules.takes) + ".\n\nReturns\n-------\nArray\n    Fresh, in C order, of x's shape, on its device; " +
         given(rules.gives) + ". Does not wait.\n\nRaises\n------\nDtypeError\n    For another dtype." +
         noted(row.special, std::string(name(row.op)));
}

// Parameters, Returns and Raises of a function of several arrays.
std::string shared_doc(const char* parameters, const char* takes, const char* gives) {
  return std::string("\n\nParameters\n----------\n") + parameters +
         "\n    One at least is an array. They broadcast, and promote to " + takes +
         ".\n    Python numbers take the array's dtype, NumPy's have their own.\n\n"
         "Returns\n-------\nArray\n"
         "    Fresh, in C order, of the shape that all broadcast to, on the arrays' device; " +
         gives +
         ".\n    Does not wait.\n\n"
         "Raises\n------\nDtypeError\n    For dtypes that do not promote, or promote to one that is not taken.\n"
         "DimensionError, MixedDevicesError\n    For shapes that do not broadcast; for arrays on several devices.\n"
         "OverflowError\n    For a Python integer that the dtype does not hold.";
}

std::string binary_doc(const Row& row) {
  const Rule rules = rule(row.op);
  return row.summary +
         shared_doc("x1, x2 : Array or number", words(rules.takes),
                    rules.gives == Gives::boolean ? "bool" : "of their dtype") +
         noted(row.special, std::string(name(row.op)));
}

// nanobind keeps the pointers it is given.
const char* keep(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
}

void require_numeric(const char* word, Dtype dtype) {
  if (is_integer(dtype) || is_floating(dtype)) return;
  throw DtypeError(std::string(word) + ": takes " + words(Takes::numeric) + ", not " + std::string(name(dtype)) +
                   "; convert with astype first");
}

void define_unary(nb::module_& m, const Row& row) {
  const Op op = row.op;
  const std::string word(name(op));
  m.def(
      keep(word),
      [op](nb::handle x) {
        const Array& array = array_of(x, name(op).data());
        const std::array<Argument, 1> arguments{&array};
        return to_python(unlocked(array.device(), array.size(), [&] { return elementwise(op, arguments); }));
      },
      "x"_a.none(), nb::sig(keep("def " + word + "(x: Array, /) -> Array")), keep(unary_doc(row)));
}

void define_binary(nb::module_& m, const Row& row) {
  const Op op = row.op;
  const std::string word(name(op));
  m.def(
      keep(word),
      [op](nb::handle x1, nb::handle x2) {
        const std::array<Argument, 2> arguments{argument_of(x1, name(op).data(), array_or_null(x2.ptr())),
                                                argument_of(x2, name(op).data(), array_or_null(x1.ptr()))};
        Device& device = common_device(name(op).data(), arguments);
        std::int64_t work = 0;
        for (const Argument& argument : arguments) {
          if (const auto* array = std::get_if<const Array*>(&argument)) work = std::max(work, (*array)->size());
        }
        return to_python(unlocked(device, work, [&] { return elementwise(op, arguments); }));
      },
      "x1"_a.none(), "x2"_a.none(),
      nb::sig(keep("def " + word + "(x1: Array | complex, x2: Array | complex, /) -> Array")), keep(binary_doc(row)));
}

}  // namespace

void define_elementwise(nb::module_& m) {
  for (const Row& row : kUnary) define_unary(m, row);
  for (const Row& row : kBinary) define_binary(m, row);
  m.def(
      "where",
      [](nb::handle condition, nb::handle x1, nb::handle x2) {
        const Array* beside = nullptr;
        for (nb::handle each : {condition, x1, x2}) beside = beside ? beside : array_or_null(each.ptr());
        const std::array<Argument, 3> all{argument_of(condition, "where", beside), argument_of(x1, "where", beside),
                                          argument_of(x2, "where", beside)};
        Device& device = common_device("where", all);
        return to_python(unlocked(device, kLongWork, [&] { return where(all[0], all[1], all[2]); }));
      },
      "condition"_a.none(), "x1"_a.none(), "x2"_a.none(),
      nb::sig("def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array"),
      keep("x1 where ``condition`` is True, x2 elsewhere." +
           shared_doc("condition : Array or bool\n    bool.\nx1, x2 : Array or number", "any dtype", "of their dtype") +
           "\n\nNotes\n-----\nArray API standard 2024.12, \"Searching Functions\": ``where``.\n"));
  m.def(
      "positive",
      [](nb::handle x) {
        const Array& array = array_of(x, "positive");
        require_numeric("positive", array.dtype());
        return to_python(unlocked(array.device(), array.size(), [&] { return copy(array); }));
      },
      "x"_a.none(), nb::sig("def positive(x: Array, /) -> Array"),
      keep("Each element as it is; a copy.\n\nParameters\n----------\nx : Array\n    Of any shape, and a numeric "
           "dtype.\n\n"
           "Returns\n-------\nArray\n    Fresh, in C order, of x's shape, on its device; x's dtype. Does not wait.\n\n"
           "Raises\n------\nDtypeError\n    For another dtype." +
           noted("", "positive")));
  m.def(
      "clip",
      [](nb::handle x, nb::handle low, nb::handle high) {
        const Array& array = array_of(x, "clip");
        const auto bound = [&array](nb::handle b) {
          return b.is_none() ? std::nullopt : std::optional<Argument>(argument_of(b, "clip", &array));
        };
        return to_python(
            unlocked(array.device(), array.size(), [&, a = bound(low), b = bound(high)] { return clip(array, a, b); }));
      },
      "x"_a.none(), "min"_a = nb::none(), "max"_a = nb::none(),
      nb::sig("def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array"),
      keep("x, no smaller than ``min`` and no larger than ``max``; None is no bound." +
           shared_doc("x : Array\nmin, max : Array or number, optional", words(Takes::real), "of their dtype") +
           noted("NaN in any of them wins. Where ``min`` is above ``max`` the result is ``max``.", "clip")));
}

}  // namespace crossdock::bind
