#include "crossdock/ops/sets.h"

#include <array>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/sorting.h"
#include "crossdock/ops/statistics.h"
#include "crossdock/runtime/error.h"
#include "offsets.h"

namespace crossdock {

namespace {

Array times(const Array& array, std::int64_t factor) {
  return elementwise(Op::multiply, std::array<Argument, 2>{&array, Scalar{factor}});
}

// Elements `places` bytes from the first.
Array gather_from(const Array& array, const Array& places) {
  return gather(array.view(places.shape(), {0}), places, reach_of(array));
}

Array part(const Array& array, std::int64_t begin) {
  const std::int64_t stride = array.strides()[0];
  return array.view({array.size() - 1}, {stride}, array.size() > 1 ? begin * stride : 0);
}

// Where a sorted array has an element that is not equal to the one before.
Array first_of_each(const Array& sorted) {
  const Array before = part(sorted, 0), after = part(sorted, 1);
  const std::array<Array, 2> mask{full({1}, Scalar{true}, Dtype::bool_, sorted.device()),
                                  elementwise(Op::not_equal, std::array<Argument, 2>{&after, &before})};
  return concat(mask, 0);
}

// Which of the different elements, by number, each element of the array is.
Array inverse_of(const Array& first, const Array& order, const Dims& shape) {
  const Array numbers = accumulate(Op::cumulative_sum, astype(first, Dtype::int64), 0, std::nullopt, false);
  const Array from_zero = elementwise(Op::subtract, std::array<Argument, 2>{&numbers, Scalar{std::int64_t{1}}});
  const Array out = Array::empty(shape, Dtype::int64, order.device());
  scatter(from_zero, times(order, out.itemsize()), out.view(order.shape(), {0}), reach_of(out));
  return out;
}

}  // namespace

Unique unique(const char* op, const Array& array, UniqueParts wanted) {
  if (kind(array.dtype()) == DtypeKind::storage) {
    throw DtypeError(std::string(op) + ": does not take " + std::string(name(array.dtype())) +
                     "; convert with astype first");
  }
  const Array flat = reshape(array, {-1});
  const std::int64_t size = flat.size();
  std::optional<Array> order, sorted;
  if (wanted.indices || wanted.inverse) {
    order = sort_any(Op::argsort, flat);
    sorted = size == 0 ? flat : gather_from(flat, times(*order, flat.strides()[0]));
  } else {
    sorted = sort_any(Op::sort, flat);
  }
  const Array first = size == 0 ? Array::empty({0}, Dtype::bool_, flat.device()) : first_of_each(*sorted);
  const std::int64_t count = size == 0 ? 0 : count_true(first, op);
  const Array starts = count == 0 ? Array::empty({0}, Dtype::int64, flat.device()) : true_offsets(first, count, {1});
  const auto take = [&](const Array& from) { return gather_from(from, times(starts, from.itemsize())); };
  Unique out{.values = take(*sorted), .indices = {}, .inverse = {}, .counts = {}};
  if (wanted.indices) out.indices = take(*order);
  if (wanted.inverse) out.inverse = inverse_of(first, *order, array.shape());
  if (wanted.counts) {
    const Array end = full({count > 0}, Scalar{size}, Dtype::int64, flat.device());
    out.counts = diff(starts, 0, 1, nullptr, &end);
  }
  return out;
}

}  // namespace crossdock
