#include "crossdock/ops/sorting.h"

#include <array>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "offsets.h"

namespace crossdock {

namespace {

void require_order(const char* op, Dtype dtype) {
  if (is_complex(dtype)) {
    throw DtypeError(std::string(op) + ": complex numbers have no order, and the dtype is " + std::string(name(dtype)) +
                     "; take real(x), imag(x) or abs(x) first");
  }
  if (kind(dtype) == DtypeKind::storage) {
    throw DtypeError(std::string(op) + ": takes bool, an integer or a real floating-point dtype, not " +
                     std::string(name(dtype)) + "; convert with astype first");
  }
}

// True can be any byte but 0, where memory came from elsewhere; they are equal all the same.
Array with_equal_trues(const Array& array) {
  if (array.dtype() != Dtype::bool_) return array;
  return elementwise(Op::not_equal, std::array<Argument, 2>{&array, Scalar{false}});
}

void launch_sort(Op op, const Array& given, const Array& out, bool descending) {
  if (out.size() == 0) return;
  const Array array = with_equal_trues(given);
  Launch launch;
  launch.op = op;
  launch.dtype = array.dtype();
  launch.shape = array.shape();
  launch.noperands = 2;
  launch.operands[0] = {.data = array.data(), .dtype = array.dtype(), .strides = array.strides()};
  launch.operands[1] = {.data = out.data(), .dtype = out.dtype(), .strides = out.strides()};
  launch.integers[0] = descending;
  array.device().launch(std::move(launch));
}

Array empty_for(Op op, const Array& array) {
  return Array::empty(array.shape(), op == Op::argsort ? Dtype::int64 : array.dtype(), array.device());
}

void check_searchsorted(const Array& sorted, const Array& values, const std::optional<Array>& sorter) {
  std::array<Argument, 3> arguments{&sorted, &values};
  if (sorter) arguments[2] = &*sorter;
  common_device("searchsorted", std::span(arguments).first(sorter ? 3 : 2));
  if (sorted.ndim() != 1) {
    throw DimensionError("searchsorted: x1 must be one-dimensional, it has shape " + to_string(sorted.shape()));
  }
  if (!sorter) return;
  if (!is_integer(sorter->dtype())) {
    throw DtypeError("searchsorted: sorter must have an integer dtype, not " + std::string(name(sorter->dtype())));
  }
  if (!(sorter->shape() == sorted.shape())) {
    throw DimensionError("searchsorted: sorter must have the shape of x1, " + to_string(sorted.shape()) + ", not " +
                         to_string(sorter->shape()));
  }
}

Array in_order(const Array& array, const Array& sorter) {
  const std::int64_t stride = array.size() != 0 ? array.strides()[0] : 0;
  try {
    const Array offsets = index_offsets(sorter, nullptr, {array.size(), stride, 0});
    return gather(array.view(array.shape(), {0}), offsets, reach_of(array));
  } catch (const IndexError& error) {
    throw IndexError(std::string("searchsorted: sorter: ") + error.what());
  }
}

}  // namespace

Array sort(Op op, const Array& array, std::int64_t axis, bool descending) {
  require_order(name(op).data(), array.dtype());
  if (array.ndim() == 0) {
    throw DimensionError(std::string(name(op)) + ": a 0-d array has no axis to sort along");
  }
  const int place = normalize_axis(axis, array.ndim(), name(op).data());
  Array out = empty_for(op, array);
  launch_sort(op, moveaxis(array, {place}, {-1}), moveaxis(out, {place}, {-1}), descending);
  return out;
}

Array sort_any(Op op, const Array& array, bool descending) {
  Array out = empty_for(op, array);
  launch_sort(op, array, out, descending);
  return out;
}

Array searchsorted(const Array& sorted, const Array& values, bool right, const std::optional<Array>& sorter) {
  check_searchsorted(sorted, values, sorter);
  const Dtype dtype = common_dtype("searchsorted", std::array<Argument, 2>{&sorted, &values});
  require_order("searchsorted", dtype);
  const Array from = with_equal_trues(astype_if_needed(sorter ? in_order(sorted, *sorter) : sorted, dtype));
  const Array of = with_equal_trues(astype_if_needed(values, dtype));
  Array out = Array::empty(values.shape(), Dtype::int64, values.device());
  if (out.size() == 0) return out;
  Launch launch;
  launch.op = Op::searchsorted;
  launch.dtype = dtype;
  launch.shape = out.shape();
  launch.noperands = 3;
  launch.operands[0] = {.data = from.data(), .dtype = dtype, .strides = Dims(out.ndim())};
  launch.operands[1] = {.data = of.data(), .dtype = dtype, .strides = of.strides()};
  launch.operands[2] = {.data = out.data(), .dtype = Dtype::int64, .strides = out.strides()};
  launch.integers = {from.size(), from.strides()[0], right};
  out.device().launch(std::move(launch));
  return out;
}

}  // namespace crossdock
