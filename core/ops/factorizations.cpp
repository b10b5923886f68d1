#include "crossdock/ops/factorizations.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

std::int64_t rows_of(const Array& x) { return x.shape()[x.ndim() - 2]; }
std::int64_t columns_of(const Array& x) { return x.shape()[x.ndim() - 1]; }

Array make(const Array& x, Dtype dtype, std::initializer_list<std::int64_t> extents) {
  Dims shape = batch_of(x);
  for (auto extent : extents) shape.push_back(extent);
  return Array::empty(shape, dtype, x.device());
}

// `operands`: x, then the outputs. Matrices without elements have results that are known.
void launch(Op op, const Array& x, std::initializer_list<const Array*> outputs, std::int64_t choice = 0) {
  if (x.size() == 0) return;
  Launch launch;
  launch.op = op;
  launch.dtype = x.dtype();
  launch.shape = x.shape();
  launch.outputs = static_cast<int>(outputs.size());
  launch.integers[0] = choice;
  const auto place = [&](const Array& array) {
    launch.operands[static_cast<std::size_t>(launch.noperands++)] = {
        .data = array.data(), .dtype = array.dtype(), .strides = array.strides()};
  };
  place(x);
  for (const Array* output : outputs) place(*output);
  x.device().launch(std::move(launch));
}

// The unitary factor of matrices without elements.
void fill_identity(const Array& q) {
  if (q.size() != 0) {
    copy_into(q, eye(rows_of(q), columns_of(q), 0, q.dtype(), q.device()));
  }
}

}  // namespace

void require_matrices(const char* op, const Array& x) {
  const bool narrow = is_real_floating(x.dtype()) && x.itemsize() < 4;
  if (!is_floating(x.dtype()) || narrow) {
    throw DtypeError(std::string(op) + ": takes float32, float64, complex64 or complex128, not " +
                     std::string(name(x.dtype())) + "; convert with astype first");
  }
  if (x.ndim() < 2) {
    throw DimensionError(std::string(op) + ": takes matrices, two dimensions or more, not shape " +
                         to_string(x.shape()));
  }
}

void require_square(const char* op, const Array& x) {
  require_matrices(op, x);
  if (rows_of(x) != columns_of(x)) {
    throw DimensionError(std::string(op) + ": takes square matrices, not shape " + to_string(x.shape()));
  }
}

Dims batch_of(const Array& x) { return Dims(x.shape().data(), x.ndim() - 2); }

Array cholesky(const Array& x, bool upper) {
  require_square("cholesky", x);
  Array out = Array::empty(x.shape(), x.dtype(), x.device());
  launch(Op::cholesky, x, {&out}, upper);
  return out;
}

Lu lu(const Array& x) {
  require_matrices("lu", x);
  Lu out{Array::empty(x.shape(), x.dtype(), x.device()), make(x, Dtype::int64, {std::min(rows_of(x), columns_of(x))}),
         make(x, x.dtype(), {})};
  if (x.size() == 0) return {out.factors, out.pivots, full(batch_of(x), {std::int64_t{1}}, x.dtype(), x.device())};
  launch(Op::lu, x, {&out.factors, &out.pivots, &out.parity});
  return out;
}

Qr qr(const Array& x, bool complete) {
  require_matrices("qr", x);
  const std::int64_t m = rows_of(x), n = columns_of(x), width = complete ? m : std::min(m, n);
  Qr out{make(x, x.dtype(), {m, width}), make(x, x.dtype(), {width, n})};
  if (x.size() == 0) fill_identity(out.q);
  launch(Op::qr, x, {&out.q, &out.r}, complete);
  return out;
}

Eigh eigh(const Array& x) {
  require_square("eigh", x);
  Eigh out{make(x, real_part(x.dtype()), {rows_of(x)}), Array::empty(x.shape(), x.dtype(), x.device())};
  launch(Op::eigh, x, {&out.values, &out.vectors});
  return out;
}

Array eigvalsh(const Array& x) {
  require_square("eigvalsh", x);
  Array out = make(x, real_part(x.dtype()), {rows_of(x)});
  launch(Op::eigvalsh, x, {&out});
  return out;
}

Svd svd(const Array& x, bool full_matrices) {
  require_matrices("svd", x);
  const std::int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  Svd out{make(x, x.dtype(), {m, full_matrices ? m : k}), make(x, real_part(x.dtype()), {k}),
          make(x, x.dtype(), {full_matrices ? n : k, n})};
  if (x.size() == 0) {
    fill_identity(out.u);
    fill_identity(out.vh);
  }
  launch(Op::svd, x, {&out.u, &out.s, &out.vh}, full_matrices);
  return out;
}

Array svdvals(const Array& x) {
  require_matrices("svdvals", x);
  Array out = make(x, real_part(x.dtype()), {std::min(rows_of(x), columns_of(x))});
  launch(Op::svdvals, x, {&out});
  return out;
}

}  // namespace crossdock
