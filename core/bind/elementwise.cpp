// The elementwise functions of the namespace: a row each.
#include "crossdock/ops/elementwise.h"

#include <nanobind/nanobind.h>

#include <array>
#include <deque>
#include <string>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

struct Row {
  Op op;
  const char* summary;
};

constexpr Row kUnary[] = {
    {Op::abs, "Absolute value; the magnitude of complex numbers, as a real dtype."},
    {Op::acos, "Inverse cosine, in radians."},
    {Op::acosh, "Inverse hyperbolic cosine."},
    {Op::asin, "Inverse sine, in radians."},
    {Op::asinh, "Inverse hyperbolic sine."},
    {Op::atan, "Inverse tangent, in radians."},
    {Op::atanh, "Inverse hyperbolic tangent."},
    {Op::bitwise_invert, "Each bit inverted; logical not for bool."},
    {Op::ceil, "Smallest integer not below each element, in the same dtype."},
    {Op::conj, "Complex conjugate."},
    {Op::cos, "Cosine of radians."},
    {Op::cosh, "Hyperbolic cosine."},
    {Op::exp, "e to the power of each element."},
    {Op::expm1, "exp(x) - 1, exact near 0."},
    {Op::floor, "Largest integer not above each element, in the same dtype."},
    {Op::imag, "Imaginary part, as a real dtype."},
    {Op::isfinite, "Whether each element is neither infinite nor NaN; bool."},
    {Op::isinf, "Whether each element is infinite; bool."},
    {Op::isnan, "Whether each element is NaN; bool."},
    {Op::log, "Natural logarithm."},
    {Op::log10, "Logarithm to base 10."},
    {Op::log1p, "log(1 + x), exact near 0."},
    {Op::log2, "Logarithm to base 2."},
    {Op::logical_not, "Whether each element is False; bool only."},
    {Op::negative, "Each element negated; unsigned integers wrap."},
    {Op::real, "Real part, as a real dtype."},
    {Op::reciprocal, "1 / x."},
    {Op::round, "Nearest integer, halves to even, in the same dtype."},
    {Op::sign, "-1, 0 or 1 by sign; z / |z| for complex numbers; NaN stays."},
    {Op::signbit, "Whether the sign bit is set; bool."},
    {Op::sin, "Sine of radians."},
    {Op::sinh, "Hyperbolic sine."},
    {Op::sqrt, "Square root; NaN below 0."},
    {Op::square, "x * x."},
    {Op::tan, "Tangent of radians."},
    {Op::tanh, "Hyperbolic tangent."},
    {Op::trunc, "Integer part, in the same dtype."},
};

constexpr Row kBinary[] = {
    {Op::add, "x1 + x2."},
    {Op::atan2, "Angle of (x2, x1) from the first axis, in radians, -pi to pi."},
    {Op::bitwise_and, "Bitwise and; logical for bool."},
    {Op::bitwise_left_shift, "x1 shifted left by x2 bits."},
    {Op::bitwise_or, "Bitwise or; logical for bool."},
    {Op::bitwise_right_shift, "x1 shifted right by x2 bits, the sign kept."},
    {Op::bitwise_xor, "Bitwise exclusive or; logical for bool."},
    {Op::copysign, "Magnitude of x1 with the sign of x2."},
    {Op::divide, "x1 / x2 of floating-point numbers."},
    {Op::equal, "Whether elements are equal; bool."},
    {Op::floor_divide, "x1 // x2, rounded down; 0 for an integer divided by 0."},
    {Op::greater, "Whether x1 > x2; bool."},
    {Op::greater_equal, "Whether x1 >= x2; bool."},
    {Op::hypot, "sqrt(x1**2 + x2**2) without overflow in between."},
    {Op::less, "Whether x1 < x2; bool."},
    {Op::less_equal, "Whether x1 <= x2; bool."},
    {Op::logaddexp, "log(exp(x1) + exp(x2)) without overflow in between."},
    {Op::logical_and, "x1 and x2; bool only."},
    {Op::logical_or, "x1 or x2; bool only."},
    {Op::logical_xor, "Whether one but not both; bool only."},
    {Op::maximum, "The larger of both; NaN wins."},
    {Op::minimum, "The smaller of both; NaN wins."},
    {Op::multiply, "x1 * x2."},
    {Op::nextafter, "The next representable number from x1 towards x2."},
    {Op::not_equal, "Whether elements differ; bool."},
    {Op::pow, "x1 to the power of x2."},
    {Op::remainder, "x1 - floor(x1 / x2) * x2, with the sign of x2; 0 for an integer divided by 0."},
    {Op::subtract, "x1 - x2."},
};

constexpr const char* kShared =
    "\n\nBroadcasts and promotes as the array API standard (\"Element-wise functions\"); a fresh array in C order on "
    "the same\n"
    "device. Raises DtypeError, DimensionError or MixedDevicesError, naming the arguments.";

// nanobind keeps the pointers it is given.
const char* keep(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
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
      "x"_a.none(), nb::sig(keep("def " + word + "(x: Array, /) -> Array")), keep(std::string(row.summary) + kShared));
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
      nb::sig(keep("def " + word + "(x1: Array | complex, x2: Array | complex, /) -> Array")),
      keep(std::string(row.summary) + kShared));
}

}  // namespace

void define_elementwise(nb::module_& m) {
  for (const Row& row : kUnary) define_unary(m, row);
  for (const Row& row : kBinary) define_binary(m, row);
  m.def(
      "where",
      [](nb::handle condition, nb::handle x1, nb::handle x2) {
        const std::array<Argument, 3> all{argument_of(condition, "where"), argument_of(x1, "where"),
                                          argument_of(x2, "where")};
        Device& device = common_device("where", all);
        return to_python(unlocked(device, kLongWork, [&] { return where(all[0], all[1], all[2]); }));
      },
      "condition"_a.none(), "x1"_a.none(), "x2"_a.none(),
      nb::sig("def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array"),
      keep(std::string("x1 where ``condition`` (bool) is True, x2 elsewhere.") + kShared));
  m.def(
      "positive",
      [](nb::handle x) {
        const Array& array = array_of(x, "positive");
        if (array.dtype() == Dtype::bool_) throw DtypeError("positive: takes a numeric dtype, not bool");
        return to_python(unlocked(array.device(), array.size(), [&] { return copy(array); }));
      },
      "x"_a.none(), nb::sig("def positive(x: Array, /) -> Array"),
      keep(std::string("Each element as it is.") + kShared));
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
      keep(std::string("x, no smaller than ``min`` and no larger than ``max``; None is no bound.") + kShared));
}

}  // namespace crossdock::bind
