#include "crossdock/ops/products.h"

#include <algorithm>
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

// The dtype of the product, on one device.
Dtype product_dtype(const char* op, const Array& a, const Array& b) {
  const std::array<Argument, 2> arguments{&a, &b};
  common_device(op, arguments);
  const Dtype dtype = common_dtype(op, arguments);
  if (dtype == Dtype::bool_ || kind(dtype) == DtypeKind::storage) {
    throw DtypeError(std::string(op) + ": takes a numeric dtype, not " + std::string(name(dtype)) +
                     "; convert with astype first");
  }
  return dtype;
}

// Axes as places, each at most once.
Dims places_of(const Dims& axes, const Array& array) {
  Dims places;
  for (auto axis : axes) {
    const int place = normalize_axis(axis, array.ndim(), "tensordot");
    if (std::find(places.begin(), places.end(), place) != places.end()) {
      throw DimensionError("tensordot: axis " + std::to_string(axis) + " is named twice in " + to_string(axes));
    }
    places.push_back(place);
  }
  return places;
}

Dims others_of(const Dims& places, const Array& array) {
  Dims others;
  for (int i = 0; i < array.ndim(); ++i) {
    if (std::find(places.begin(), places.end(), i) == places.end()) others.push_back(i);
  }
  return others;
}

std::int64_t extent_of(const Array& array, const Dims& places) {
  std::int64_t extent = 1;
  for (auto place : places) extent *= array.shape()[static_cast<int>(place)];
  return extent;
}

// With dimensions first, then last, as a matrix.
Array as_matrix(const Array& array, const Dims& first, const Dims& last) {
  Dims order = first;
  for (auto place : last) order.push_back(place);
  return reshape(permute_dims(array, order), {extent_of(array, first), extent_of(array, last)});
}

// The two with the axis moved to the end, and of the same extent there.
std::pair<Array, Array> vectors_last(const char* op, const Array& a, const Array& b, std::int64_t axis) {
  const int least = std::min(a.ndim(), b.ndim());
  if (axis < -least || axis >= (a.ndim() == b.ndim() ? least : 0)) {
    throw IndexError(std::string(op) + ": axis " + std::to_string(axis) + " is outside [-" + std::to_string(least) +
                     ", " + (a.ndim() == b.ndim() ? std::to_string(least) : "0") + ") for shapes " +
                     to_string(a.shape()) + " and " + to_string(b.shape()) +
                     (axis >= 0 ? "; an axis of arrays of different dimensions is counted from the end" : ""));
  }
  std::pair<Array, Array> moved{moveaxis(a, {axis}, {-1}), moveaxis(b, {axis}, {-1})};
  const std::int64_t one = moved.first.shape().back(), other = moved.second.shape().back();
  if (one != other) {
    throw DimensionError(std::string(op) + ": shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                         " have " + std::to_string(one) + " and " + std::to_string(other) + " elements along axis " +
                         std::to_string(axis));
  }
  return moved;
}

// Element i of each vector along the last axis.
Array component(const Array& vectors, int i) {
  Dims shape = vectors.shape(), strides = vectors.strides();
  shape.erase(shape.size() - 1);
  strides.erase(strides.size() - 1);
  return vectors.view(std::move(shape), std::move(strides), i * vectors.strides().back());
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
  const Dtype dtype = product_dtype("matmul", a, b);
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

Array tensordot(const Array& a, const Array& b, const Dims& a_axes, const Dims& b_axes) {
  const Dtype dtype = product_dtype("tensordot", a, b);
  const Dims a_places = places_of(a_axes, a), b_places = places_of(b_axes, b);
  if (a_places.size() != b_places.size()) {
    throw DimensionError("tensordot: axes " + to_string(a_axes) + " and " + to_string(b_axes) + " are not as many");
  }
  for (int i = 0; i < a_places.size(); ++i) {
    const auto one = a.shape()[static_cast<int>(a_places[i])], other = b.shape()[static_cast<int>(b_places[i])];
    if (one != other) {
      throw DimensionError("tensordot: axis " + std::to_string(a_axes[i]) + " of shape " + to_string(a.shape()) +
                           " has " + std::to_string(one) + " elements, axis " + std::to_string(b_axes[i]) +
                           " of shape " + to_string(b.shape()) + " has " + std::to_string(other));
    }
  }
  const Dims a_others = others_of(a_places, a), b_others = others_of(b_places, b);
  Dims shape;
  for (auto place : a_others) shape.push_back(a.shape()[static_cast<int>(place)]);
  for (auto place : b_others) shape.push_back(b.shape()[static_cast<int>(place)]);
  const Array left = as_matrix(a, a_others, a_places), right = as_matrix(b, b_places, b_others);
  return reshape(multiply_matrices(astype_if_needed(left, dtype), astype_if_needed(right, dtype), dtype), shape);
}

Array tensordot(const Array& a, const Array& b, std::int64_t count) {
  if (count < 0 || count > std::min(a.ndim(), b.ndim())) {
    throw DimensionError("tensordot: " + std::to_string(count) + " axes of shapes " + to_string(a.shape()) + " and " +
                         to_string(b.shape()) + "; there can be from 0 to " +
                         std::to_string(std::min(a.ndim(), b.ndim())));
  }
  Dims a_axes, b_axes;
  for (int i = 0; i < count; ++i) {
    a_axes.push_back(a.ndim() - count + i);
    b_axes.push_back(i);
  }
  return tensordot(a, b, a_axes, b_axes);
}

Array vecdot(const Array& a, const Array& b, std::int64_t axis) {
  const Dtype dtype = product_dtype("vecdot", a, b);
  auto [x, y] = vectors_last("vecdot", a, b, axis);
  const Dtype computes = is_real_floating(dtype) && itemsize(dtype) < 4 ? Dtype::float32 : dtype;
  x = astype_if_needed(x, computes);
  y = astype_if_needed(y, computes);
  if (is_complex(computes)) x = elementwise(Op::conj, std::array<Argument, 1>{&x});
  try {
    broadcast_shapes(x.shape(), y.shape());
  } catch (const DimensionError& error) {
    throw DimensionError(std::string("vecdot: ") + error.what());
  }
  const Array out = squeeze(multiply_matrices(expand_dims(x, {-2}), expand_dims(y, {-1}), computes), {-2, -1});
  return astype_if_needed(out, dtype);
}

Array outer(const Array& a, const Array& b) {
  product_dtype("outer", a, b);
  if (a.ndim() != 1 || b.ndim() != 1) {
    throw DimensionError("outer: takes two 1-d arrays, not shapes " + to_string(a.shape()) + " and " +
                         to_string(b.shape()));
  }
  const Array column = expand_dims(a, {1});
  return elementwise(Op::multiply, std::array<Argument, 2>{&column, &b});
}

Array cross(const Array& a, const Array& b, std::int64_t axis) {
  const Dtype dtype = product_dtype("cross", a, b);
  auto [x, y] = vectors_last("cross", a, b, axis);
  if (x.shape().back() != 3) {
    throw DimensionError("cross: takes vectors of 3 elements, not " + std::to_string(x.shape().back()) +
                         " along axis " + std::to_string(axis) + " of shape " + to_string(a.shape()));
  }
  x = astype_if_needed(x, dtype);
  y = astype_if_needed(y, dtype);
  Dims shape;
  try {
    shape = broadcast_shapes(x.shape(), y.shape());
  } catch (const DimensionError& error) {
    throw DimensionError(std::string("cross: ") + error.what());
  }
  // The result has the axis where it was: in C order, seen with the axis last.
  const Array seen = moveaxis(x.broadcast_to(shape), {-1}, {axis < 0 ? axis : axis - a.ndim()});
  const Array out = Array::empty(seen.shape(), dtype, a.device());
  const Array last = moveaxis(out, {axis < 0 ? axis : axis - a.ndim()}, {-1});
  for (int i = 0; i < 3; ++i) {
    const Array x1 = component(x, (i + 1) % 3), x2 = component(x, (i + 2) % 3);
    const Array y1 = component(y, (i + 1) % 3), y2 = component(y, (i + 2) % 3);
    const Array product = elementwise(Op::multiply, std::array<Argument, 2>{&x1, &y2});
    const Array other = elementwise(Op::multiply, std::array<Argument, 2>{&x2, &y1});
    elementwise_in_place(Op::subtract, product, &other);
    copy_into(component(last, i), product);
  }
  return out;
}

}  // namespace crossdock
