// Functions: the kernels of one device, compiled and loaded when they are first launched.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "crossdock/runtime/at_fork.h"
#include "driver.h"
#include "kernel_family.h"

namespace crossdock::cuda {

class CudaDevice;

class Functions {
 public:
  explicit Functions(CudaDevice& device) noexcept : device_(device) {}
  ~Functions();
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  // Two atomic loads when it is there. With the device's context current. NotImplementedError when the family has no
  // such instance; DeviceError when it cannot be compiled or loaded.
  FunctionHandle get(const KernelFamily& family, int number) {
    const auto* row = rows_[static_cast<std::size_t>(family.id())].load(std::memory_order_acquire);
    if (row) [[likely]] {
      if (const FunctionHandle found = row[number].load(std::memory_order_acquire)) [[likely]]
        return found;
    }
    return load(family, number);
  }

 private:
  using Row = std::atomic<FunctionHandle>*;
  FunctionHandle load(const KernelFamily& family, int number);

  CudaDevice& device_;
  std::array<std::atomic<Row>, KernelFamily::kMost> rows_{};
  ForkMutex mutex_;
};

}  // namespace crossdock::cuda
