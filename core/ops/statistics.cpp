#include "crossdock/ops/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

int scanned_axis(Op op, const Array& array, std::optional<std::int64_t> axis) {
  if (array.ndim() == 0) {
    throw DimensionError(std::string(name(op)) + ": takes an array of one dimension or more, not one of shape ()");
  }
  if (!axis && array.ndim() > 1) {
    throw DimensionError(std::string(name(op)) + ": an array of shape " + to_string(array.shape()) +
                         " needs axis=; it may be left out for one dimension only");
  }
  return normalize_axis(axis.value_or(0), array.ndim(), name(op).data());
}

void launch_scan(Op op, const Array& array, int axis, const Array& out) {
  if (array.size() == 0) return;
  Launch launch;
  launch.op = op;
  launch.dtype = out.dtype();
  launch.noperands = 2;
  const auto axis_last = [axis](Dims dims) {
    std::rotate(dims.begin() + axis, dims.begin() + axis + 1, dims.end());
    return dims;
  };
  launch.shape = axis_last(array.shape());
  launch.operands[0] = {.data = array.data(), .dtype = array.dtype(), .strides = axis_last(array.strides())};
  launch.operands[1] = {.data = out.data(), .dtype = out.dtype(), .strides = axis_last(out.strides())};
  out.device().launch(std::move(launch));
}

Array spread(const char* op, const Array& array, const std::optional<Dims>& axes, double correction, bool keepdims,
             bool root) {
  if (!is_real_floating(array.dtype())) {
    throw DtypeError(std::string(op) + ": takes a real floating-point dtype, not " + std::string(name(array.dtype())) +
                     "; convert with astype first");
  }
  Dims all;
  for (int i = 0; i < array.ndim(); ++i) all.push_back(i);
  const Dims reduced = normalize_axes(axes.value_or(all), array.ndim(), op);
  double count = 1;
  Dims shape = array.shape();
  for (auto axis : reduced) {
    count *= static_cast<double>(shape[static_cast<int>(axis)]);
    shape[static_cast<int>(axis)] = 1;
  }
  Array out = full(shape, {NAN}, Dtype::float64, array.device());
  if (count - correction > 0) {
    const Array centre = reduce(Op::sum, array, reduced, true, Dtype::float64);
    elementwise_in_place(Op::divide, centre, Scalar{count});
    out = squared_deviations(array, centre, reduced);
    elementwise_in_place(Op::divide, out, Scalar{count - correction});
    if (root) out = elementwise(Op::sqrt, std::array<Argument, 1>{&out});
  }
  out = astype_if_needed(out, array.dtype());
  return keepdims ? out : squeeze(out, reduced);
}

void check_joinable(const Array& array, int axis, const Array* part, const char* word) {
  if (!part) return;
  Dims shape = part->shape();
  if (shape.size() == array.ndim()) shape[axis] = array.shape()[axis];
  if (!(shape == array.shape())) {
    throw DimensionError(std::string("diff: ") + word + " has shape " + to_string(part->shape()) +
                         ", which differs outside axis " + std::to_string(axis) + " from the array's " +
                         to_string(array.shape()));
  }
}

}  // namespace

Array accumulate(Op op, const Array& array, std::optional<std::int64_t> axis, std::optional<Dtype> dtype,
                 bool include_initial) {
  const int place = scanned_axis(op, array, axis);
  const Dtype wanted = accumulation_dtype(op, array.dtype(), dtype);
  Dims shape = array.shape();
  shape[place] += include_initial;
  const Array out = Array::empty(shape, wanted, array.device());
  if (include_initial && out.size() != 0) {
    const Scalar identity{std::int64_t{op == Op::cumulative_prod}};
    copy_into(narrow(out, place, 0, 1), to_array(identity, wanted, array.device()));
  }
  launch_scan(op, array, place, narrow(out, place, include_initial, array.shape()[place]));
  return out;
}

Array var(const Array& array, const std::optional<Dims>& axes, double correction, bool keepdims) {
  return spread("var", array, axes, correction, keepdims, false);
}

Array standard_deviation(const Array& array, const std::optional<Dims>& axes, double correction, bool keepdims) {
  return spread("std", array, axes, correction, keepdims, true);
}

Array diff(const Array& array, std::int64_t axis, std::int64_t n, const Array* prepend, const Array* append) {
  if (n < 0) throw ValueError("diff: n cannot be negative: " + std::to_string(n));
  const int place = normalize_axis(axis, array.ndim(), "diff");
  std::vector<Array> parts;
  std::vector<Argument> arguments;
  for (const Array* part : {prepend, &array, append}) {
    if (part) parts.push_back(*part), arguments.emplace_back(part);
  }
  common_device("diff", arguments);
  const Dtype dtype = common_dtype("diff", arguments);
  if (!is_integer(dtype) && !is_floating(dtype)) {
    throw DtypeError("diff: takes a numeric dtype, not " + std::string(name(dtype)) + "; convert with astype first");
  }
  check_joinable(array, place, prepend, "prepend");
  check_joinable(array, place, append, "append");
  Array out = parts.size() > 1 || n == 0 ? concat(parts, place) : array;
  for (; n > 0 && out.shape()[place] > 0; --n) {
    const std::int64_t rest = out.shape()[place] - 1;
    const Array right = narrow(out, place, 1, rest), left = narrow(out, place, 0, rest);
    out = elementwise(Op::subtract, std::array<Argument, 2>{&right, &left});
  }
  return out.shape()[place] == 0 && out.buffer() == array.buffer() ? copy(out) : out;
}

}  // namespace crossdock
