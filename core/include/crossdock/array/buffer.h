// Buffer: memory that arrays share. Freed exactly once, when the last array that looks at it goes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/device.h"

namespace crossdock {

class Buffer {
 public:
  Buffer(Device& device, std::byte* data, std::size_t nbytes) noexcept
      : device_(&device), data_(data), nbytes_(nbytes) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Device& device() const noexcept { return *device_; }
  std::byte* data() const noexcept { return data_; }
  std::size_t nbytes() const noexcept { return nbytes_; }

  // From the device's pool.
  static std::shared_ptr<Buffer> allocate(Device& device, std::size_t nbytes);
  // Somebody else's memory; `release` is called once, from any thread, and must not throw.
  static std::shared_ptr<Buffer> borrow(Device& device, std::byte* data, std::size_t nbytes,
                                        std::function<void()> release);

 private:
  Device* device_;
  std::byte* data_;
  std::size_t nbytes_;
};

}  // namespace crossdock
