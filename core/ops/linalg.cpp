#include "crossdock/ops/linalg.h"

#include <array>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Dims batch_of(const Array& matrix) { return Dims(matrix.shape().data(), matrix.ndim() - 2); }

Dims with_matrix(Dims batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

[[noreturn]] void refuse(const Array& a, const Array& b, const std::string& why) {
  throw DimensionError("matmul: shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                       " do not fit: " + why);
}

Dims common_batch(const Array& a, const Array& b) {
  try {
    return broadcast_shapes(batch_of(a), batch_of(b));
  } catch (const DimensionError&) {
    refuse(a, b, "the leading dimensions do not broadcast");
  }
}

Array multiply_matrices(const Array& a, const Array& b, Dtype dtype) {
  const std::int64_t m = a.shape()[a.ndim() - 2], k = a.shape()[a.ndim() - 1], n = b.shape()[b.ndim() - 1];
  const Dims batch = common_batch(a, b);
  Array out = Array::empty(with_matrix(batch, m, n), dtype, a.device());
  if (out.size() == 0) return out;
  Launch launch;
  launch.op = Op::matmul;
  launch.dtype = dtype;
  launch.noperands = 3;
  launch.shape = with_matrix(batch, m, n);
  launch.shape.push_back(k);
  const auto place = [&](Operand& operand, const Array& array, std::int64_t rows, std::int64_t columns) {
    operand.data = array.data();
    operand.dtype = dtype;
    operand.strides = broadcast_strides(array.shape(), array.strides(), with_matrix(batch, rows, columns));
  };
  place(launch.operands[0], a, m, k);
  place(launch.operands[1], b, k, n);
  place(launch.operands[2], out, m, n);
  a.device().launch(std::move(launch));
  return out;
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
  const std::array<Argument, 2> arguments{&a, &b};
  common_device("matmul", arguments);
  const Dtype dtype = common_dtype("matmul", arguments);
  if (dtype == Dtype::bool_ || kind(dtype) == DtypeKind::storage) {
    throw DtypeError("matmul: takes a numeric dtype, not " + std::string(name(dtype)));
  }
  if (a.ndim() == 0 || b.ndim() == 0) refuse(a, b, "a 0-d array is no matrix");
  const std::int64_t inner_a = a.shape()[a.ndim() - 1];
  const std::int64_t inner_b = b.shape()[b.ndim() == 1 ? 0 : b.ndim() - 2];
  if (inner_a != inner_b) {
    refuse(a, b, "the inner dimensions are " + std::to_string(inner_a) + " and " + std::to_string(inner_b));
  }
  const Array left = astype_if_needed(a.ndim() == 1 ? expand_dims(a, {0}) : a, dtype);
  const Array right = astype_if_needed(b.ndim() == 1 ? expand_dims(b, {1}) : b, dtype);
  Array out = multiply_matrices(left, right, dtype);
  if (b.ndim() == 1) out = squeeze(out, {-1});
  if (a.ndim() == 1) out = squeeze(out, {b.ndim() == 1 ? -1 : -2});
  return out;
}

}  // namespace crossdock
