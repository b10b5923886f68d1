#include "crossdock/ops/norms.h"

#include <array>
#include <cmath>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/factorizations.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Array apply(Op op, const Array& x) { return elementwise(op, std::array<Argument, 1>{&x}); }
Array apply(Op op, const Array& x, double y) { return elementwise(op, std::array<Argument, 2>{&x, Scalar{y}}); }

void require_floating(const char* op, const Array& x) {
  if (is_floating(x.dtype())) return;
  throw DtypeError(std::string(op) + ": takes a floating-point dtype, not " + std::string(name(x.dtype())) +
                   "; convert with astype first");
}

// In a dtype that adds up well.
Array widened(const Array& x) { return x.itemsize() < 4 ? astype(x, Dtype::float32) : x; }

Array squares(const Array& x) {
  if (!is_complex(x.dtype())) return apply(Op::square, x);
  const Array real = apply(Op::square, apply(Op::real, x)), imag = apply(Op::square, apply(Op::imag, x));
  return elementwise(Op::add, std::array<Argument, 2>{&real, &imag});
}

// Of numbers that are not negative: nothing has a largest one, 0.
Array largest(const Array& sizes, const std::optional<Dims>& axes, bool keepdims) {
  if (sizes.size() != 0) return reduce(Op::max, sizes, axes, keepdims);
  return reduce(Op::sum, sizes, axes, keepdims);
}

Array smallest(const char* op, const Array& sizes, const std::optional<Dims>& axes, bool keepdims) {
  try {
    return reduce(Op::min, sizes, axes, keepdims);
  } catch (const ValueError&) {
    throw ValueError(std::string(op) + ": shape " + to_string(sizes.shape()) + " has no smallest element");
  }
}

// Small whole powers as products, which are many times faster.
Array powers(const Array& x, double power) {
  constexpr double kMost = 16;
  if (power != std::trunc(power) || std::abs(power) > kMost) return apply(Op::pow, x, power);
  Array square = x;
  std::optional<Array> out;
  for (int rest = static_cast<int>(std::abs(power)); rest; rest >>= 1) {
    if (rest & 1) out = out ? elementwise(Op::multiply, std::array<Argument, 2>{&*out, &square}) : square;
    if (rest > 1) square = apply(Op::square, square);
  }
  return power < 0 ? apply(Op::reciprocal, *out) : *out;
}

Array norm(const char* op, const Array& x, const std::optional<Dims>& axes, bool keepdims, double ord) {
  if (ord == 2) return apply(Op::sqrt, reduce(Op::sum, squares(x), axes, keepdims));
  if (ord == 0) {
    const Array count = reduce(
        Op::sum, elementwise(Op::not_equal, std::array<Argument, 2>{&x, Scalar{std::int64_t{0}}}), axes, keepdims);
    return astype(count, real_part(x.dtype()));
  }
  const Array sizes = apply(Op::abs, x);
  if (ord == 1) return reduce(Op::sum, sizes, axes, keepdims);
  if (std::isinf(ord)) return ord > 0 ? largest(sizes, axes, keepdims) : smallest(op, sizes, axes, keepdims);
  return apply(Op::pow, reduce(Op::sum, powers(sizes, ord), axes, keepdims), 1 / ord);
}

// Of a row or column of each matrix, the sums of which are asked for.
Array extreme_sum(const Array& x, std::int64_t summed, bool keepdims, bool most) {
  const Array sums = reduce(Op::sum, apply(Op::abs, x), Dims{summed}, true);
  return most ? largest(sums, Dims{-2, -1}, keepdims) : smallest("matrix_norm", sums, Dims{-2, -1}, keepdims);
}

Array of_singular_values(const Array& x, bool keepdims, Op op) {
  const Array s = svdvals(x);
  const Array out = op == Op::max   ? largest(s, Dims{-1}, false)
                    : op == Op::min ? smallest("matrix_norm", s, Dims{-1}, false)
                                    : reduce(op, s, Dims{-1}, false);
  return keepdims ? expand_dims(out, {-2, -1}) : out;
}

[[noreturn]] void refuse(double ord) {
  throw ValueError("matrix_norm: ord can be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not " + Scalar{ord}.text());
}

Array numbered_norm(const Array& x, bool keepdims, double ord) {
  if (ord == 1 || ord == -1) return extreme_sum(x, -2, keepdims, ord > 0);
  if (std::isinf(ord)) return extreme_sum(x, -1, keepdims, ord > 0);
  if (ord == 2) return of_singular_values(x, keepdims, Op::max);
  if (ord == -2) return of_singular_values(x, keepdims, Op::min);
  refuse(ord);
}

}  // namespace

Array vector_norm(const Array& x, const std::optional<Dims>& axes, bool keepdims, double ord) {
  require_floating("vector_norm", x);
  if (std::isnan(ord)) throw ValueError("vector_norm: ord cannot be nan");
  return astype_if_needed(norm("vector_norm", widened(x), axes, keepdims, ord), real_part(x.dtype()));
}

Array matrix_norm(const Array& x, bool keepdims, std::variant<MatrixNorm, double> ord) {
  require_floating("matrix_norm", x);
  if (x.ndim() < 2) {
    throw DimensionError("matrix_norm: takes matrices, two dimensions or more, not shape " + to_string(x.shape()));
  }
  const auto* named = std::get_if<MatrixNorm>(&ord);
  if (named && *named == MatrixNorm::nuclear) return of_singular_values(x, keepdims, Op::sum);
  const double* value = std::get_if<double>(&ord);
  if (value && std::abs(*value) == 2) return numbered_norm(x, keepdims, *value);
  const Array wide = widened(x);
  const Array out =
      named ? norm("matrix_norm", wide, Dims{-2, -1}, keepdims, 2) : numbered_norm(wide, keepdims, *value);
  return astype_if_needed(out, real_part(x.dtype()));
}

}  // namespace crossdock
