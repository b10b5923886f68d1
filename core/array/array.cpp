#include "crossdock/array/array.h"

#include <algorithm>
#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock {

std::int64_t* LateStrides::keep(const Dims& strides) {
  auto* values = new std::int64_t[static_cast<std::size_t>(strides.size()) + 1];  // one more: never of no length
  std::copy_n(strides.data(), strides.size(), values);
  std::int64_t* first = nullptr;
  if (values_.compare_exchange_strong(first, values, std::memory_order_acq_rel)) return values;
  delete[] values;
  return first;
}

Array Array::empty(const Dims& shape, Dtype dtype, Device& device) {
  const std::int64_t nbytes = checked_nbytes(shape, crossdock::itemsize(dtype));
  auto buffer = Buffer::allocate(device, static_cast<std::size_t>(nbytes));
  std::byte* data = buffer->data();
  return Array(std::move(buffer), data, dtype, shape, contiguous_strides(shape, crossdock::itemsize(dtype)), false);
}

Array Array::bits() const {
  static constexpr Dtype kUnsigned[] = {Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64};
  for (Dtype unsigned_dtype : kUnsigned) {
    if (crossdock::itemsize(unsigned_dtype) == itemsize()) {
      return Array(buffer_, data_, unsigned_dtype, shape_, strides_, readonly_);
    }
  }
  throw DtypeError("no unsigned integer has the size of " + std::string(name(dtype_)));
}

std::int64_t* Array::element_strides() const {
  if (std::int64_t* kept = element_strides_.get()) return kept;
  Dims strides = contiguous_strides(shape_, 1);
  for (int i = 0; i < ndim() && size_ != 0; ++i) {
    if (shape_[i] < 2) continue;
    if (strides_[i] % itemsize() != 0) return nullptr;
    strides[i] = strides_[i] / itemsize();
  }
  return element_strides_.keep(strides);
}

Array Array::broadcast_to(const Dims& shape) const {
  checked_nbytes(shape, itemsize());
  Array out = view(shape, broadcast_strides(shape_, strides_, shape));
  return out.size() > size_ ? out.as_readonly() : out;
}

void Array::require_writable(const char* op) const {
  if (readonly_) {
    throw ReadOnlyError(std::string(op) + ": the array is read-only (shape " + to_string(shape_) + ", device '" +
                        device().spec() + "'); copy it first, with asarray(x, copy=True)");
  }
}

bool may_overlap(const Array& a, const Array& b) {
  if (a.size() == 0 || b.size() == 0 || a.device().physical() != b.device().physical()) return false;
  const auto [a_low, a_high] = byte_extent(a.shape(), a.strides(), a.itemsize());
  const auto [b_low, b_high] = byte_extent(b.shape(), b.strides(), b.itemsize());
  const auto a0 = reinterpret_cast<std::intptr_t>(a.data()), b0 = reinterpret_cast<std::intptr_t>(b.data());
  return a0 + a_low < b0 + b_high && b0 + b_low < a0 + a_high;
}

}  // namespace crossdock
