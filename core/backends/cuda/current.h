// Current: while it lives, a device's context is the calling thread's current one; afterwards again what was before.
#pragma once

#include <new>

#include "driver.h"

namespace crossdock::cuda {

class CudaDevice;

class Current {
 public:
  explicit Current(const CudaDevice& device);  // DeviceError, as in a forked child
  // Where nothing may be thrown: look whether it has come to be.
  Current(const CudaDevice& device, std::nothrow_t) noexcept;
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  explicit operator bool() const noexcept { return driver_ != nullptr; }

 private:
  Result enter(const CudaDevice& device, ContextHandle context) noexcept;

  const Driver* driver_ = nullptr;
  ContextHandle before_ = nullptr;
  bool changed_ = false;
};

}  // namespace crossdock::cuda
