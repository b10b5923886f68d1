// The manipulation functions that give fresh arrays made of one array's elements, and unstack.
#include <algorithm>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Dims with_leading(Dims dims, int size, std::int64_t fill) {
  while (dims.size() < size) dims.insert(0, fill);
  return dims;
}

struct Shift {
  int axis;
  std::int64_t places;  // in (0, extent)
};

std::int64_t wrapped(std::int64_t places, std::int64_t extent) {
  const std::int64_t rest = extent == 0 ? 0 : places % extent;
  return rest < 0 ? rest + extent : rest;
}

// Shifts of one axis add up; those by nothing are left out.
std::vector<Shift> shifts_of(const Array& array, const Dims& shift, const Dims& axes) {
  if (shift.size() != axes.size() && shift.size() != 1) {
    throw DimensionError("roll: " + std::to_string(shift.size()) + " shifts " + to_string(shift) + " for " +
                         std::to_string(axes.size()) + " axes " + to_string(axes));
  }
  Dims places(array.ndim());
  for (int i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis(axes[i], array.ndim(), "roll");
    const std::int64_t extent = array.shape()[axis];
    const std::int64_t right = wrapped(shift[shift.size() == 1 ? 0 : i], extent);
    places[axis] = wrapped(places[axis] - (extent - right), extent);  // by what is left over, so as not to overflow
  }
  std::vector<Shift> out;
  for (int axis = 0; axis < places.size(); ++axis) {
    if (places[axis] != 0) out.push_back({axis, places[axis]});
  }
  return out;
}

// Two blocks per axis, which change places.
void roll_into(const Array& target, const Array& source, std::span<const Shift> shifts) {
  if (shifts.empty()) return copy_into(target, source);
  const auto [axis, places] = shifts.front();
  const std::int64_t rest = source.shape()[axis] - places;
  roll_into(narrow(target, axis, places, rest), narrow(source, axis, 0, rest), shifts.subspan(1));
  roll_into(narrow(target, axis, 0, places), narrow(source, axis, rest, places), shifts.subspan(1));
}

// Column `compare` row + k (less, less_equal), for the last two dimensions of `array`.
Array beside_diagonal(Op compare, const char* op, const Array& array, std::int64_t k) {
  if (array.ndim() < 2) {
    throw DimensionError(std::string(op) + ": takes matrices, in two dimensions or more, not an array of shape " +
                         to_string(array.shape()));
  }
  const std::int64_t rows = array.shape()[array.ndim() - 2], columns = array.shape()[array.ndim() - 1];
  k = std::clamp(k, -rows, columns);
  const auto count = [&](std::int64_t start, std::int64_t length) {
    return arange({start}, {start + length}, {std::int64_t{1}}, Dtype::int64, array.device());
  };
  const Array row = expand_dims(count(k, rows), {1}), column = count(0, columns);
  return elementwise(compare, std::array<Argument, 2>{&column, &row});
}

}  // namespace

std::vector<Array> unstack(const Array& array, std::int64_t axis) {
  const int place = normalize_axis(axis, array.ndim(), "unstack");
  std::vector<Array> out;
  for (std::int64_t i = 0; i < array.shape()[place]; ++i) out.push_back(squeeze(narrow(array, place, i, 1), {place}));
  return out;
}

Array tile(const Array& array, const Dims& repetitions) {
  for (auto count : repetitions) {
    if (count < 0) throw ValueError("tile: a negative number of repetitions in " + to_string(repetitions));
  }
  const int ndim = std::max(array.ndim(), repetitions.size());
  const Dims shape = with_leading(array.shape(), ndim, 1), times = with_leading(repetitions, ndim, 1);
  // Each axis that is repeated as one of repetitions and one of places; the copy then lies in the result's order.
  Dims split, spread, out;
  for (int i = 0; i < ndim; ++i) {
    if (times[i] != 1) {
      split.push_back(1);
      spread.push_back(times[i]);
    }
    split.push_back(shape[i]);
    spread.push_back(shape[i]);
    std::int64_t extent;
    if (__builtin_mul_overflow(shape[i], times[i], &extent)) {
      throw DimensionError("tile: " + std::to_string(times[i]) + " times " + std::to_string(shape[i]) +
                           " places are more than a 64-bit number counts");
    }
    out.push_back(extent);
  }
  checked_nbytes(out, array.itemsize());
  if (array.size() == 0 || checked_size(spread) == 0) return Array::empty(out, array.dtype(), array.device());
  return reshape(copy(reshape(array, split).broadcast_to(spread)), out);
}

Array roll(const Array& array, const Dims& shift, const std::optional<Dims>& axes) {
  if (!axes) {
    if (shift.size() != 1) throw DimensionError("roll: several shifts " + to_string(shift) + " need as many axes");
    return reshape(roll(reshape(array, {-1}), shift, Dims{0}), array.shape());
  }
  const std::vector<Shift> shifts = shifts_of(array, shift, *axes);
  const Array out = Array::empty(array.shape(), array.dtype(), array.device());
  roll_into(out, array, shifts);
  return out;
}

std::vector<Array> meshgrid(std::span<const Array> arrays, bool cartesian) {
  const int ndim = static_cast<int>(arrays.size());
  const auto axis_of = [&](int i) { return cartesian && ndim > 1 && i < 2 ? 1 - i : i; };
  Dims shape(ndim, 1);
  for (int i = 0; i < ndim; ++i) {
    const Array& array = arrays[static_cast<std::size_t>(i)];
    if (array.ndim() > 1) {
      throw DimensionError("meshgrid: takes vectors, not an array of shape " + to_string(array.shape()));
    }
    shape[axis_of(i)] = array.size();
  }
  if (ndim > 0) {
    std::vector<Argument> arguments;
    for (const Array& array : arrays) arguments.emplace_back(&array);
    common_device("meshgrid", arguments);
  }
  std::vector<Array> out;
  for (int i = 0; i < ndim; ++i) {
    const Array& array = arrays[static_cast<std::size_t>(i)];
    Dims lined(ndim, 1);
    lined[axis_of(i)] = array.size();
    out.push_back(copy(reshape(array, lined).broadcast_to(shape)));
  }
  return out;
}

Array tril(const Array& array, std::int64_t k) {
  const Array kept = beside_diagonal(Op::less_equal, "tril", array, k);
  const Array zero = to_array({false}, array.dtype(), array.device());
  return where(&kept, &array, &zero);
}

Array triu(const Array& array, std::int64_t k) {
  const Array dropped = beside_diagonal(Op::less, "triu", array, k);
  const Array zero = to_array({false}, array.dtype(), array.device());
  return where(&dropped, &zero, &array);
}

}  // namespace crossdock
