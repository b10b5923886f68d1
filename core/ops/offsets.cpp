#include "offsets.h"

#include <cstring>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Operand operand(const Array& array, Dims strides) {
  Operand operand;
  operand.data = array.data();
  operand.dtype = array.dtype();
  operand.strides = std::move(strides);
  return operand;
}

Operand operand(const Array& array) { return operand(array, array.strides()); }

void require_elements(const IndexedAxis& axis) {
  if (axis.extent != 0) return;
  throw IndexError("every index is out of bounds for axis " + std::to_string(axis.number) + " with size 0");
}

void launch(Op op, const Array& from, const Array& places, const Array& to, const Along& along) {
  const auto* axis = std::get_if<IndexedAxis>(&along);
  if (axis) require_elements(*axis);
  Launch launch;
  launch.op = op;
  launch.dtype = to.dtype();
  launch.noperands = 3;
  launch.shape = to.shape();
  launch.operands[0] = operand(from);
  launch.operands[1] = operand(places);
  launch.operands[2] = operand(to);
  if (axis) {
    launch.integers = {axis->extent, axis->stride, axis->number, 1};
  } else {
    const auto [low, high] = std::get<Reach>(along);
    launch.integers = {low, high};
  }
  to.device().launch(std::move(launch));
}

}  // namespace

Reach reach_of(const Dims& shape, const Dims& strides, int itemsize) {
  const auto [low, high] = byte_extent(shape, strides, itemsize);
  return {low, high - itemsize};
}

Array index_offsets(const Array& index, const Array* so_far, const IndexedAxis& axis) {
  const Dims shape = so_far ? broadcast_shapes(index.shape(), so_far->shape()) : index.shape();
  Array out = Array::empty(shape, Dtype::int64, index.device());
  if (out.size() == 0) return out;
  require_elements(axis);
  Launch launch;
  launch.op = Op::index_offsets;
  launch.dtype = index.dtype();
  launch.noperands = 3;
  launch.shape = shape;
  launch.operands[0] = operand(index, broadcast_strides(index.shape(), index.strides(), shape));
  launch.operands[1].dtype = Dtype::int64;
  if (so_far) {
    launch.operands[1] = operand(*so_far, broadcast_strides(so_far->shape(), so_far->strides(), shape));
  }
  launch.operands[2] = operand(out);
  launch.integers = {axis.extent, axis.stride, axis.number};
  out.device().launch(std::move(launch));
  return out;
}

std::int64_t count_true(const Array& mask, const char* op) {
  if (mask.size() == 0) return 0;
  const Array total = reduce(Op::sum, mask, std::nullopt, false);
  std::byte bytes[sizeof(std::int64_t)];
  pull(total, bytes, op);
  std::int64_t count = 0;
  std::memcpy(&count, bytes, sizeof count);
  return count;
}

Array true_offsets(const Array& mask, std::int64_t count, const Dims& steps) {
  Array out = Array::empty({count}, Dtype::int64, mask.device());
  if (count == 0) return out;
  Launch launch;
  launch.op = Op::nonzero;
  launch.dtype = Dtype::bool_;
  launch.noperands = 3;
  launch.shape = mask.shape();
  launch.operands[0] = operand(mask);
  launch.operands[1].dtype = Dtype::int64;
  launch.operands[1].strides = steps;
  launch.operands[2] = operand(out);
  launch.integers = {count};
  mask.device().launch(std::move(launch));
  return out;
}

Array gather(const Array& data, const Array& places, const Along& along) {
  Array out = Array::empty(data.shape(), data.dtype(), data.device());
  if (out.size() == 0) return out;
  launch(Op::gather, data, places, out, along);
  return out;
}

void scatter(const Array& values, const Array& places, const Array& target, const Along& along) {
  if (target.size() != 0) launch(Op::scatter, values, places, target, along);
}

}  // namespace crossdock
