// Array: a typed, strided view of a buffer. A value; copies look at the same memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "crossdock/array/buffer.h"
#include "crossdock/array/layout.h"
#include "crossdock/runtime/dtype.h"

namespace crossdock {

// Numbers that an array works out at most once, from any thread. A copy begins without, and so does what is moved to.
class LateStrides {
 public:
  LateStrides() noexcept = default;
  LateStrides(const LateStrides&) noexcept {}
  LateStrides& operator=(const LateStrides&) noexcept {
    delete[] values_.exchange(nullptr);
    return *this;
  }
  ~LateStrides() { delete[] values_.load(std::memory_order_relaxed); }

  std::int64_t* get() const noexcept { return values_.load(std::memory_order_acquire); }
  std::int64_t* keep(const Dims& strides);  // whoever comes first is kept

 private:
  std::atomic<std::int64_t*> values_{nullptr};
};

class Array {
 public:
  // Uninitialised, C order. DimensionError for a bad shape, OutOfMemoryError when the device has no room.
  static Array empty(const Dims& shape, Dtype dtype, Device& device);
  // A view of memory that is not the pool's. `data` is the first element; strides in bytes, any sign. The caller has
  // checked that all elements lie inside the buffer.
  template <class Shape = Dims, class Strides = Dims>
  Array(std::shared_ptr<Buffer> buffer, std::byte* data, Dtype dtype, Shape&& shape, Strides&& strides, bool readonly)
      : buffer_(std::move(buffer)),
        data_(data),
        shape_(std::forward<Shape>(shape)),
        strides_(std::forward<Strides>(strides)),
        size_(checked_size(shape_)),
        dtype_(dtype),
        readonly_(readonly) {}

  const std::shared_ptr<Buffer>& buffer() const noexcept { return buffer_; }
  Device& device() const noexcept { return buffer_->device(); }
  std::byte* data() const noexcept { return data_; }  // in the device's address space
  Dtype dtype() const noexcept { return dtype_; }
  const Dims& shape() const noexcept { return shape_; }
  const Dims& strides() const noexcept { return strides_; }  // bytes
  int ndim() const noexcept { return shape_.size(); }
  std::int64_t size() const noexcept { return size_; }
  int itemsize() const noexcept { return crossdock::itemsize(dtype_); }
  std::int64_t nbytes() const noexcept { return size_ * itemsize(); }
  bool readonly() const noexcept { return readonly_; }
  bool is_c_contiguous() const noexcept { return crossdock::is_c_contiguous(shape_, strides_, itemsize()); }

  // Strides in elements, kept as long as this array is; those of C order along extents below 2, where no step is ever
  // taken. Null when the byte strides are not whole elements.
  std::int64_t* element_strides() const;

  // Another view of the same memory, `offset` bytes from this one's first element; never more writable than this one.
  Array view(Dims shape, Dims strides, std::int64_t offset = 0) const {
    return Array(buffer_, data_ + offset, dtype_, std::move(shape), std::move(strides), readonly_);
  }
  Array as_readonly() const { return Array(buffer_, data_, dtype_, shape_, strides_, true); }
  // The same bits under an unsigned integer dtype of the same size (storage dtypes have no word in the buffer
  // protocol).
  Array bits() const;
  Array broadcast_to(const Dims& shape) const;  // read-only where it repeats elements; DimensionError

  // ReadOnlyError naming `op` unless this may be written.
  void require_writable(const char* op) const;

 private:
  std::shared_ptr<Buffer> buffer_;
  std::byte* data_;
  Dims shape_;
  Dims strides_;
  std::int64_t size_;
  Dtype dtype_;
  bool readonly_;
  mutable LateStrides element_strides_;
};

// Whether some byte may belong to both (by their extents: exact for contiguous arrays, cautious for others).
bool may_overlap(const Array& a, const Array& b);

}  // namespace crossdock
