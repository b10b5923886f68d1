#include "crossdock/array/layout.h"

#include <limits>
#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

bool is_empty(const Dims& shape) noexcept {
  for (auto extent : shape) {
    if (extent == 0) return true;
  }
  return false;
}

// The product of all extents but zeros: an array without elements must have strides too.
std::int64_t countable(const Dims& shape) {
  if (shape.size() > kMaxNdim) {
    throw DimensionError("an array has at most " + std::to_string(kMaxNdim) + " dimensions, not " +
                         std::to_string(shape.size()));
  }
  std::int64_t size = 1;
  bool overflow = false;
  for (auto extent : shape) {
    if (extent < 0) {
      throw DimensionError("a dimension cannot be negative: " + std::to_string(extent) + " in shape " +
                           to_string(shape));
    }
    if (extent != 0) overflow |= __builtin_mul_overflow(size, extent, &size);
  }
  if (overflow) throw DimensionError("shape " + to_string(shape) + " has more elements than a 64-bit number counts");
  return size;
}

}  // namespace

std::int64_t checked_size(const Dims& shape) {
  const std::int64_t size = countable(shape);
  return is_empty(shape) ? 0 : size;
}

std::int64_t checked_nbytes(const Dims& shape, int itemsize) {
  std::int64_t nbytes = 0;
  if (__builtin_mul_overflow(countable(shape), static_cast<std::int64_t>(itemsize), &nbytes)) {
    throw DimensionError("shape " + to_string(shape) + " with " + std::to_string(itemsize) +
                         " bytes per element has more bytes than a 64-bit number counts");
  }
  return is_empty(shape) ? 0 : nbytes;
}

Dims contiguous_strides(const Dims& shape, int itemsize) {
  Dims strides(shape.size());
  std::int64_t step = itemsize;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    if (shape[i] != 0) step *= shape[i];
  }
  return strides;
}

bool is_c_contiguous(const Dims& shape, const Dims& strides, int itemsize) noexcept {
  if (is_empty(shape)) return true;
  std::int64_t step = itemsize;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

bool is_f_contiguous(const Dims& shape, const Dims& strides, int itemsize) noexcept {
  if (is_empty(shape)) return true;
  std::int64_t step = itemsize;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

Dims broadcast_shapes(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const int lead = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const std::int64_t x = longer[lead + i], y = shorter[i];
    if (x != y && x != 1 && y != 1) {
      throw DimensionError("shapes " + to_string(a) + " and " + to_string(b) + " do not broadcast");
    }
    out[lead + i] = x == 1 ? y : x;
  }
  return out;
}

Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target) {
  const int lead = target.size() - shape.size();
  Dims out(target.size());
  bool fits = lead >= 0;
  for (int i = 0; fits && i < shape.size(); ++i) {
    if (shape[i] == target[lead + i]) {
      out[lead + i] = shape[i] == 1 ? 0 : strides[i];
    } else if (shape[i] != 1) {
      fits = false;
    }
  }
  if (!fits) throw DimensionError("shape " + to_string(shape) + " does not broadcast to " + to_string(target));
  return out;
}

int normalize_axis(std::int64_t axis, int ndim, const char* op) {
  if (axis < -ndim || axis >= ndim) {
    throw IndexError(std::string(op) + ": axis " + std::to_string(axis) + " is out of range for an array with " +
                     std::to_string(ndim) + " dimensions");
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

std::pair<std::int64_t, std::int64_t> byte_extent(const Dims& shape, const Dims& strides, int itemsize) {
  if (is_empty(shape)) return {0, 0};
  std::int64_t low = 0, high = 0;
  bool overflow = false;
  for (int i = 0; i < shape.size(); ++i) {
    std::int64_t span = 0;
    overflow |= __builtin_mul_overflow(shape[i] - 1, strides[i], &span);
    overflow |= __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high);
  }
  overflow |= __builtin_add_overflow(high, static_cast<std::int64_t>(itemsize), &high);
  if (overflow) {
    throw DimensionError("shape " + to_string(shape) + " with byte strides " + to_string(strides) +
                         " reaches beyond a 64-bit address space");
  }
  return {low, high};
}

bool reshape_strides(const Dims& shape, const Dims& strides, int itemsize, const Dims& target, Dims& out) {
  if (is_empty(shape)) {
    out = contiguous_strides(target, itemsize);
    return true;
  }
  Dims old_shape, old_strides;  // without dimensions of extent 1
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    old_shape.push_back(shape[i]);
    old_strides.push_back(strides[i]);
  }
  out = Dims(target.size());
  int from = 0, to = 0;
  while (from < old_shape.size() && to < target.size()) {
    // Grow both sides until they cover the same number of elements; inside, the old side must be one even run.
    std::int64_t have = old_shape[from], want = target[to];
    int from_end = from + 1, to_end = to + 1;
    while (have != want) {
      if (want < have)
        want *= target[to_end++];
      else
        have *= old_shape[from_end++];
    }
    for (int i = from; i + 1 < from_end; ++i) {
      if (old_strides[i] != old_shape[i + 1] * old_strides[i + 1]) return false;
    }
    out[to_end - 1] = old_strides[from_end - 1];
    for (int i = to_end - 1; i > to; --i) out[i - 1] = out[i] * target[i];
    from = from_end;
    to = to_end;
  }
  for (; to < target.size(); ++to) out[to] = itemsize;  // what is left has extent 1
  return true;
}

}  // namespace crossdock
