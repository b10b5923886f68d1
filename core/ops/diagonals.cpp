#include "crossdock/ops/diagonals.h"

#include <algorithm>
#include <string>

#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Array diagonal_for(const char* op, const Array& x, std::int64_t offset) {
  if (x.ndim() < 2) {
    throw DimensionError(std::string(op) + ": takes two dimensions or more, the array has shape " +
                         to_string(x.shape()));
  }
  const std::int64_t rows = x.shape()[x.ndim() - 2], columns = x.shape()[x.ndim() - 1];
  const std::int64_t down = x.strides()[x.ndim() - 2], right = x.strides()[x.ndim() - 1];
  Dims shape(x.shape().data(), x.ndim() - 2), strides(x.strides().data(), x.ndim() - 2);
  std::int64_t place = 0, length = 0;
  if (offset > -rows && offset < columns) {
    length = offset < 0 ? std::min(rows + offset, columns) : std::min(rows, columns - offset);
    place = offset < 0 ? -offset * down : offset * right;
  }
  shape.push_back(length);
  strides.push_back(down + right);
  return x.view(std::move(shape), std::move(strides), x.size() == 0 ? 0 : place);
}

}  // namespace

Array diagonal(const Array& x, std::int64_t offset) { return diagonal_for("diagonal", x, offset); }

Array trace(const Array& x, std::int64_t offset, std::optional<Dtype> dtype) {
  return reduce(Op::sum, diagonal_for("trace", x, offset), Dims{-1}, false, dtype);
}

}  // namespace crossdock
