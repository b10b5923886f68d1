// Events of one device: reused, since making one costs more than recording it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "crossdock/runtime/at_fork.h"
#include "driver.h"

namespace crossdock::cuda {

class CudaDevice;

class EventPool {
 public:
  explicit EventPool(CudaDevice& device) noexcept : device_(device) {}
  EventHandle take();  // with the device's context current; DeviceError
  void put_back(EventHandle event) noexcept;

 private:
  CudaDevice& device_;
  std::vector<EventHandle> unused_;
  ForkMutex mutex_;
};

// An event that has been recorded; back to its pool when it goes.
class Recorded {
 public:
  // On `stream`, with the device's context current.
  Recorded(CudaDevice& device, StreamHandle stream);
  Recorded(Recorded&& other) noexcept : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}
  Recorded& operator=(Recorded&&) = delete;
  ~Recorded();
  EventHandle handle() const noexcept { return handle_; }
  CudaDevice& device() const noexcept { return device_; }

 private:
  CudaDevice& device_;
  EventHandle handle_;
};

}  // namespace crossdock::cuda
