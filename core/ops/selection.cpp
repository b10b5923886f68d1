#include "crossdock/ops/selection.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/indexing.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/ops/statistics.h"
#include "crossdock/runtime/error.h"
#include "offsets.h"

namespace crossdock {

namespace {

void check_indices(const char* op, const Array& array, const Array& indices) {
  common_device(op, std::array<Argument, 2>{&array, &indices});
  if (!is_integer(indices.dtype())) {
    throw DtypeError(std::string(op) + ": indices have an integer dtype, not " + std::string(name(indices.dtype())) +
                     "; convert with astype first");
  }
}

Array true_where_nonzero(const Array& array, const char* op) {
  if (kind(array.dtype()) == DtypeKind::storage) {
    throw DtypeError(std::string(op) + ": does not take " + std::string(name(array.dtype())) +
                     "; convert with astype first");
  }
  return astype_if_needed(array, Dtype::bool_);
}

// The array and the axis to work along; all flattened and axis 0 when none is named.
std::pair<Array, int> along(const Array& array, std::optional<std::int64_t> axis, const char* op) {
  if (!axis) return {reshape(array, {-1}), 0};
  return {array, normalize_axis(*axis, array.ndim(), op)};
}

std::int64_t pull_integer(const Array& array, const char* op) {
  std::int64_t value = 0;
  std::byte bytes[sizeof value];
  pull(array, bytes, op);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

[[noreturn]] void refuse_length() {
  throw DimensionError("repeat: the result gets longer than a 64-bit number counts");
}

// Counts of uint64 become int64.
void check_convertible(const Array& counts) {
  if (counts.size() == 0) return;
  const Array most = reduce(Op::max, counts, std::nullopt, false);
  if (pull_integer(most, "repeat") < 0) refuse_length();
}

// Not negative, and so few that their sum is exact.
void check_counts(const Array& counts) {
  const auto least = pull_integer(reduce(Op::min, counts, std::nullopt, false), "repeat");
  if (least < 0) throw ValueError("repeat: repeats has " + std::to_string(least) + ", which is negative");
  std::int64_t most = pull_integer(reduce(Op::max, counts, std::nullopt, false), "repeat");
  if (__builtin_mul_overflow(most, counts.size(), &most)) refuse_length();
}

// 0 counts[0] times, 1 counts[1] times, ...: steps to the next index where its run begins, summed up.
Array repeated_indices(const Array& counts, const Array& ends, std::int64_t total) {
  const Array mask = astype(counts, Dtype::bool_);
  const std::int64_t runs = count_true(mask, "repeat");
  const Array indices = true_offsets(mask, runs, {1});
  const Array zero = full({1}, Scalar{std::int64_t{0}}, Dtype::int64, counts.device());
  const Array steps = diff(indices, 0, 1, &zero, nullptr);
  const Array starts = elementwise(Op::subtract, std::array<Argument, 2>{&ends, &counts});
  const Array begins = take(starts, indices, 0);
  const Array offsets = elementwise(Op::multiply, std::array<Argument, 2>{&begins, Scalar{std::int64_t{8}}});
  const Array places = full({total}, Scalar{std::int64_t{0}}, Dtype::int64, counts.device());
  scatter(steps, offsets, places.view({runs}, {0}), reach_of(places));
  return accumulate(Op::cumulative_sum, places, 0, std::nullopt, false);
}

}  // namespace

Array take(const Array& array, const Array& indices, std::optional<std::int64_t> axis) {
  check_indices("take", array, indices);
  if (array.ndim() == 0 || (!axis && array.ndim() != 1)) {
    throw DimensionError("take: needs an axis of an array of shape " + to_string(array.shape()) +
                         "; only that of a 1-d array can be left out");
  }
  const int place = normalize_axis(axis.value_or(0), array.ndim(), "take");
  std::vector<AnyIndex> at(static_cast<std::size_t>(place), Slice{});
  at.emplace_back(ArrayIndex{indices});
  return index(array, at);
}

Array take_along_axis(const Array& array, const Array& indices, std::int64_t axis) {
  check_indices("take_along_axis", array, indices);
  if (array.ndim() != indices.ndim() || array.ndim() == 0) {
    throw DimensionError("take_along_axis: x has shape " + to_string(array.shape()) + " and indices " +
                         to_string(indices.shape()) + "; both need the same number of dimensions, one or more");
  }
  const int place = normalize_axis(axis, array.ndim(), "take_along_axis");
  Dims strides = array.strides(), around = array.shape();
  around[place] = indices.shape()[place];
  strides[place] = 0;
  Dims shape;
  try {
    shape = broadcast_shapes(around, indices.shape());
  } catch (const DimensionError&) {
    throw DimensionError("take_along_axis: shapes " + to_string(array.shape()) + " and " + to_string(indices.shape()) +
                         " do not broadcast outside axis " + std::to_string(place));
  }
  checked_nbytes(shape, array.itemsize());
  const IndexedAxis indexed{array.shape()[place], array.size() ? array.strides()[place] : 0, place};
  const auto spread = [&](const Array& places) {
    return places.view(shape, broadcast_strides(places.shape(), places.strides(), shape));
  };
  const Array data = array.view(shape, broadcast_strides(around, strides, shape));
  if (data.size() == 0) return gather(data, spread(index_offsets(indices, nullptr, indexed)), Reach{});
  return gather(data, spread(indices), indexed);
}

std::vector<Array> nonzero(const Array& array) {
  if (array.ndim() == 0) throw DimensionError("nonzero: a 0-d array has no indices; reshape it to (1,) first");
  const Array mask = true_where_nonzero(array, "nonzero");
  const std::int64_t count = count_true(mask, "nonzero");
  std::vector<Array> out;
  for (int dim = 0; dim < array.ndim(); ++dim) {
    Dims steps(array.ndim());
    steps[dim] = 1;
    out.push_back(true_offsets(mask, count, steps));
  }
  return out;
}

Array count_nonzero(const Array& array, const std::optional<Dims>& axes, bool keepdims) {
  return reduce(Op::sum, true_where_nonzero(array, "count_nonzero"), axes, keepdims, Dtype::int64);
}

Array repeat(const Array& array, std::int64_t repeats, std::optional<std::int64_t> axis) {
  if (repeats < 0) throw ValueError("repeat: repeats is " + std::to_string(repeats) + ", which is negative");
  const auto [whole, place] = along(array, axis, "repeat");
  Dims shape = whole.shape(), strides = whole.strides(), result = whole.shape();
  shape.insert(place + 1, repeats);
  strides.insert(place + 1, 0);
  if (__builtin_mul_overflow(result[place], repeats, &result[place])) {
    throw DimensionError("repeat: axis " + std::to_string(place) + " gets longer than a 64-bit number counts");
  }
  Array out = Array::empty(shape, whole.dtype(), whole.device());
  const bool short_rows = place + 1 == whole.ndim() && repeats <= 8;
  if (short_rows) {
    // One element after the other, so that the inner loops are long ones.
    for (std::int64_t i = 0; i < repeats; ++i) {
      Dims column = whole.shape(), steps = out.strides();
      steps.erase(place + 1);
      copy_into(out.view(std::move(column), std::move(steps), i * out.itemsize()), whole);
    }
  } else {
    copy_into(out, whole.view(std::move(shape), std::move(strides)));
  }
  return out.view(result, contiguous_strides(result, out.itemsize()));
}

Array repeat(const Array& array, const Array& repeats, std::optional<std::int64_t> axis) {
  check_indices("repeat", array, repeats);
  const auto [whole, place] = along(array, axis, "repeat");
  const std::int64_t extent = whole.shape()[place];
  if (repeats.ndim() > 1 || (repeats.size() != 1 && repeats.size() != extent)) {
    throw DimensionError("repeat: repeats has shape " + to_string(repeats.shape()) + "; it takes one number, or " +
                         std::to_string(extent) + " as axis " + std::to_string(place) + " has");
  }
  if (repeats.dtype() == Dtype::uint64) check_convertible(repeats);
  // Of its own: what is computed from it must fit together, whatever another thread writes meanwhile.
  const Array counts = reshape(astype(repeats, Dtype::int64), {-1});
  if (counts.size() == 1) return repeat(whole, pull_integer(counts, "repeat"), place);
  if (extent == 0) return copy(whole);
  check_counts(counts);
  const Array ends = accumulate(Op::cumulative_sum, counts, 0, std::nullopt, false);
  const std::int64_t total = pull_integer(ends.view({}, {}, (extent - 1) * ends.itemsize()), "repeat");
  if (total == 0) {
    Dims shape = whole.shape();
    shape[place] = 0;
    return Array::empty(shape, whole.dtype(), whole.device());
  }
  return take(whole, repeated_indices(counts, ends, total), place);
}

}  // namespace crossdock
