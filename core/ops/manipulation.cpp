#include "crossdock/ops/manipulation.h"

#include <algorithm>
#include <string>

#include "crossdock/array/indexing.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

Dims infer_shape(const Array& array, Dims shape) {
  const auto fail = [&] {
    throw DimensionError("reshape: an array of shape " + to_string(array.shape()) + " (" +
                         std::to_string(array.size()) + " elements) cannot take shape " + to_string(shape));
  };
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  if (unknown != shape.end()) {
    *unknown = 1;
    if (std::find(shape.begin(), shape.end(), -1) != shape.end()) {
      throw DimensionError("reshape: one extent at most can be -1");
    }
    const std::int64_t rest = checked_size(shape);
    if (rest == 0 || array.size() % rest != 0) {
      *unknown = -1;
      fail();
    }
    *unknown = array.size() / rest;
  }
  if (checked_size(shape) != array.size()) fail();
  checked_nbytes(shape, array.itemsize());
  return shape;
}

// Copies each array into its place along `axis` of a fresh one.
Array join(std::span<const Array> arrays, int axis, const Dims& shape, Dtype dtype) {
  Array out = Array::empty(shape, dtype, arrays[0].device());
  std::int64_t offset = 0;
  for (const Array& array : arrays) {
    if (array.size() != 0) copy_into(out.view(array.shape(), out.strides(), offset), array);
    offset += array.shape()[axis] * out.strides()[axis];
  }
  return out;
}

Dtype check_joinable(const char* op, std::span<const Array> arrays) {
  if (arrays.empty()) throw ValueError(std::string(op) + ": needs at least one array");
  std::vector<Argument> arguments;
  for (const Array& array : arrays) arguments.emplace_back(&array);
  common_device(op, arguments);
  return common_dtype(op, arguments);
}

}  // namespace

Dims normalize_axes(const Dims& axes, int ndim, const char* op) {
  Dims out;
  for (auto axis : axes) {
    const int place = normalize_axis(axis, ndim, op);
    if (std::find(out.begin(), out.end(), place) != out.end()) {
      throw DimensionError(std::string(op) + ": axis " + std::to_string(axis) + " is named twice in " +
                           to_string(axes));
    }
    out.push_back(place);
  }
  return out;
}

Array reshape(const Array& array, Dims shape, std::optional<bool> copy) {
  shape = infer_shape(array, std::move(shape));
  Dims strides;
  if (copy != true && reshape_strides(array.shape(), array.strides(), array.itemsize(), shape, strides)) {
    return array.view(std::move(shape), std::move(strides));
  }
  if (copy == false) {
    throw CopyRequiredError("reshape: shape " + to_string(array.shape()) + " with byte strides " +
                            to_string(array.strides()) + " cannot be seen as " + to_string(shape) +
                            " without a copy, and copy=False forbids one");
  }
  const Array packed = crossdock::copy(array);
  return packed.view(shape, contiguous_strides(shape, array.itemsize()));
}

Array narrow(const Array& array, int axis, std::int64_t begin, std::int64_t count) {
  Dims shape = array.shape();
  shape[axis] = count;
  return array.view(std::move(shape), array.strides(), begin * array.strides()[axis]);
}

Array permute_dims(const Array& array, const Dims& axes) {
  const Dims order = normalize_axes(axes, array.ndim(), "permute_dims");
  if (order.size() != array.ndim()) {
    throw DimensionError("permute_dims: " + to_string(axes) + " names " + std::to_string(axes.size()) +
                         " axes, the array has " + std::to_string(array.ndim()));
  }
  Dims shape, strides;
  for (auto axis : order) {
    shape.push_back(array.shape()[static_cast<int>(axis)]);
    strides.push_back(array.strides()[static_cast<int>(axis)]);
  }
  return array.view(std::move(shape), std::move(strides));
}

Array matrix_transpose(const Array& array) {
  if (array.ndim() < 2) {
    throw DimensionError("matrix_transpose: needs two dimensions or more, the array has shape " +
                         to_string(array.shape()));
  }
  Dims axes;
  for (int i = 0; i < array.ndim(); ++i) axes.push_back(i);
  std::swap(axes[array.ndim() - 1], axes[array.ndim() - 2]);
  return permute_dims(array, axes);
}

Array transpose(const Array& array) {
  Dims axes;
  for (int i = array.ndim() - 1; i >= 0; --i) axes.push_back(i);
  return permute_dims(array, axes);
}

Array expand_dims(const Array& array, const Dims& axes) {
  const int ndim = array.ndim() + axes.size();
  Dims places = normalize_axes(axes, ndim, "expand_dims");
  std::sort(places.begin(), places.end());
  Dims shape = array.shape(), strides = array.strides();
  for (auto place : places) {
    shape.insert(static_cast<int>(place), 1);
    strides.insert(static_cast<int>(place), array.itemsize());
  }
  return array.view(std::move(shape), std::move(strides));
}

Array squeeze(const Array& array, const Dims& axes) {
  const Dims places = normalize_axes(axes, array.ndim(), "squeeze");
  Dims shape, strides;
  for (int i = 0; i < array.ndim(); ++i) {
    if (std::find(places.begin(), places.end(), i) == places.end()) {
      shape.push_back(array.shape()[i]);
      strides.push_back(array.strides()[i]);
    } else if (array.shape()[i] != 1) {
      throw DimensionError("squeeze: axis " + std::to_string(i) + " has " + std::to_string(array.shape()[i]) +
                           " elements in shape " + to_string(array.shape()) + ", not 1");
    }
  }
  return array.view(std::move(shape), std::move(strides));
}

Array flip(const Array& array, const std::optional<Dims>& axes) {
  Dims all;
  for (int i = 0; i < array.ndim(); ++i) all.push_back(i);
  const Dims places = axes ? normalize_axes(*axes, array.ndim(), "flip") : all;
  std::vector<Index> indexes(static_cast<std::size_t>(array.ndim()), Slice{});
  for (auto place : places) indexes[static_cast<std::size_t>(place)] = Slice{.start = {}, .stop = {}, .step = -1};
  return index(array, indexes);
}

Array moveaxis(const Array& array, const Dims& source, const Dims& destination) {
  const Dims from = normalize_axes(source, array.ndim(), "moveaxis");
  const Dims to = normalize_axes(destination, array.ndim(), "moveaxis");
  if (from.size() != to.size()) {
    throw DimensionError("moveaxis: " + to_string(source) + " and " + to_string(destination) +
                         " name different numbers of axes");
  }
  Dims order(array.ndim(), -1);
  for (int i = 0; i < from.size(); ++i) order[static_cast<int>(to[i])] = from[i];
  int next = 0;
  for (auto& axis : order) {
    if (axis != -1) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return permute_dims(array, order);
}

std::vector<Array> broadcast_arrays(std::span<const Array> arrays) {
  Dims shape;
  for (const Array& array : arrays) shape = broadcast_shapes(shape, array.shape());
  std::vector<Array> out;
  for (const Array& array : arrays) out.push_back(array.broadcast_to(shape));
  return out;
}

Array concat(std::span<const Array> arrays, std::optional<std::int64_t> axis) {
  const Dtype dtype = check_joinable("concat", arrays);
  if (!axis) {
    std::vector<Array> flat;
    for (const Array& array : arrays) flat.push_back(reshape(array, {-1}));
    return concat(flat, 0);
  }
  Dims shape = arrays[0].shape();
  const int place = normalize_axis(*axis, arrays[0].ndim(), "concat");
  for (const Array& array : arrays.subspan(1)) {
    Dims rest = array.shape();
    if (rest.size() == shape.size()) rest[place] = shape[place];
    if (!(rest == shape)) {
      throw DimensionError("concat: shapes " + to_string(arrays[0].shape()) + " and " + to_string(array.shape()) +
                           " differ outside axis " + std::to_string(place));
    }
    if (__builtin_add_overflow(shape[place], array.shape()[place], &shape[place])) {
      throw DimensionError("concat: axis " + std::to_string(place) + " gets longer than a 64-bit number counts");
    }
  }
  return join(arrays, place, shape, dtype);
}

Array stack(std::span<const Array> arrays, std::int64_t axis) {
  check_joinable("stack", arrays);
  const int place = normalize_axis(axis, arrays[0].ndim() + 1, "stack");
  std::vector<Array> expanded;
  for (const Array& array : arrays) {
    if (!(array.shape() == arrays[0].shape())) {
      throw DimensionError("stack: shapes " + to_string(arrays[0].shape()) + " and " + to_string(array.shape()) +
                           " differ");
    }
    expanded.push_back(expand_dims(array, {place}));
  }
  return concat(expanded, place);
}

}  // namespace crossdock
