#include "crossdock/ops/equations.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/diagonals.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/factorizations.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/products.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Array apply(Op op, const Array& x) { return elementwise(op, std::array<Argument, 1>{&x}); }
Array apply(Op op, const Array& x, const Argument& y) { return elementwise(op, std::array<Argument, 2>{&x, y}); }
Scalar number(double value) { return {value}; }

Operand operand_of(const Array& array, const Dims& shape) {
  return {.data = array.data(),
          .dtype = array.dtype(),
          .strides = broadcast_strides(array.shape(), array.strides(), shape)};
}

Dims with_matrix(Dims batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

// Both have the dtype and at least two dimensions.
Array solve_matrices(const Array& a, const Array& b) {
  const std::int64_t n = a.shape().back(), columns = b.shape().back();
  Dims batch;
  try {
    batch = broadcast_shapes(batch_of(a), batch_of(b));
  } catch (const DimensionError&) {
    throw DimensionError("solve: the leading dimensions of shapes " + to_string(a.shape()) + " and " +
                         to_string(b.shape()) + " do not broadcast");
  }
  Array out = Array::empty(with_matrix(batch, n, columns), a.dtype(), a.device());
  if (out.size() == 0) return out;
  Launch launch;
  launch.op = Op::solve;
  launch.dtype = a.dtype();
  launch.shape = out.shape();
  launch.noperands = 3;
  launch.operands[0] = operand_of(a, with_matrix(batch, n, n));
  launch.operands[1] = operand_of(b, out.shape());
  launch.operands[2] = operand_of(out, out.shape());
  a.device().launch(std::move(launch));
  return out;
}

double epsilon(Dtype real) {
  return real == Dtype::float32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                : std::numeric_limits<double>::epsilon();
}

// What counts as zero among singular values, with a last dimension of one.
Array cutoff(const char* op, const Array& x, const Array& s, const std::optional<Argument>& rtol) {
  const Array largest = reduce(Op::max, s, Dims{-1}, true);
  if (!rtol) {
    const auto longest = static_cast<double>(std::max(x.shape()[x.ndim() - 2], x.shape().back()));
    return apply(Op::multiply, largest, number(longest * epsilon(s.dtype())));
  }
  if (const auto* array = std::get_if<const Array*>(&*rtol)) {
    if (!is_real_floating((*array)->dtype())) {
      throw DtypeError(std::string(op) + ": rtol has a real floating-point dtype, not " +
                       std::string(name((*array)->dtype())) + "; convert with astype first");
    }
    const Array spread = expand_dims(**array, {-1});
    return apply(Op::multiply, largest, &spread);
  }
  return apply(Op::multiply, largest, *rtol);
}

}  // namespace

Array solve(const Array& a, const Array& b) {
  common_device("solve", std::array<Argument, 2>{&a, &b});
  require_square("solve", a);
  if (b.ndim() == 0) throw DimensionError("solve: x2 has one dimension or more, not shape ()");
  const bool vector = b.ndim() == 1;
  const Array right = vector ? expand_dims(b, {1}) : b;
  require_matrices("solve", right);
  if (right.shape()[right.ndim() - 2] != a.shape().back()) {
    throw DimensionError("solve: a matrix of shape " + to_string(a.shape()) + " has no solution for shape " +
                         to_string(b.shape()) + ": x2 needs " + std::to_string(a.shape().back()) + " rows");
  }
  const Dtype dtype = common_dtype("solve", std::array<Argument, 2>{&a, &b});
  const Array out = solve_matrices(astype_if_needed(a, dtype), astype_if_needed(right, dtype));
  return vector ? squeeze(out, {-1}) : out;
}

Array inv(const Array& x) {
  require_square("inv", x);
  Array out = Array::empty(x.shape(), x.dtype(), x.device());
  if (out.size() == 0) return out;
  Launch launch;
  launch.op = Op::inv;
  launch.dtype = x.dtype();
  launch.shape = x.shape();
  launch.noperands = 2;
  launch.operands[0] = operand_of(x, x.shape());
  launch.operands[1] = operand_of(out, out.shape());
  x.device().launch(std::move(launch));
  return out;
}

Slogdet slogdet(const Array& x) {
  require_square("slogdet", x);
  const auto [factors, pivots, parity] = lu(x);
  const Array on_diagonal = diagonal(factors, 0), sizes = apply(Op::abs, on_diagonal);
  const Array signs = reduce(Op::prod, apply(Op::sign, on_diagonal), Dims{-1}, false);
  return {apply(Op::multiply, signs, &parity), reduce(Op::sum, apply(Op::log, sizes), Dims{-1}, false)};
}

Array det(const Array& x) {
  require_square("det", x);
  const auto [sign, logabsdet] = slogdet(x);
  const Array size = apply(Op::exp, logabsdet);
  return apply(Op::multiply, sign, &size);
}

Array matrix_power(const Array& x, std::int64_t n) {
  if (x.ndim() < 2 || x.shape().back() != x.shape()[x.ndim() - 2]) {
    throw DimensionError("matrix_power: takes square matrices, not shape " + to_string(x.shape()));
  }
  if (x.dtype() == Dtype::bool_ || kind(x.dtype()) == DtypeKind::storage) {
    throw DtypeError("matrix_power: takes a numeric dtype, not " + std::string(name(x.dtype())) +
                     "; convert with astype first");
  }
  if (n < 0) require_square("matrix_power", x);
  if (n == 0) {
    Array out = Array::empty(x.shape(), x.dtype(), x.device());
    copy_into(out, eye(x.shape().back(), x.shape().back(), 0, x.dtype(), x.device()));
    return out;
  }
  Array square = n < 0 ? inv(x) : x;
  std::optional<Array> out;
  for (std::uint64_t rest = n < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
       ;) {
    if (rest & 1) out = out ? matmul(*out, square) : square;
    rest >>= 1;
    if (rest == 0) break;
    square = matmul(square, square);
  }
  return n == 1 ? copy(x) : *out;
}

Array pinv(const Array& x, const std::optional<Argument>& rtol) {
  require_matrices("pinv", x);
  if (x.size() == 0) {
    return full(with_matrix(batch_of(x), x.shape().back(), x.shape()[x.ndim() - 2]), {std::int64_t{0}}, x.dtype(),
                x.device());
  }
  const auto [u, s, vh] = svd(x, false);
  const Array least = cutoff("pinv", x, s, rtol), counts = apply(Op::greater, s, &least);
  const Array reciprocal = apply(Op::reciprocal, s);
  const Array inverse = expand_dims(where(&counts, &reciprocal, number(0)), {-2});
  // v @ (1 / s) @ u^H
  Array v = matrix_transpose(vh), uh = matrix_transpose(u);
  if (is_complex(x.dtype())) {
    v = apply(Op::conj, v);
    uh = apply(Op::conj, uh);
  }
  return matmul(apply(Op::multiply, v, &inverse), uh);
}

Array matrix_rank(const Array& x, const std::optional<Argument>& rtol) {
  require_matrices("matrix_rank", x);
  if (x.size() == 0) return full(batch_of(x), {std::int64_t{0}}, Dtype::int64, x.device());
  const Array s = svdvals(x), least = cutoff("matrix_rank", x, s, rtol);
  return reduce(Op::sum, apply(Op::greater, s, &least), Dims{-1}, false);
}

}  // namespace crossdock
