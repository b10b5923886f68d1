#include "current.h"

#include "device.h"

namespace crossdock::cuda {

Result Current::enter(const CudaDevice& device) noexcept {
  const Driver& entries = device.driver();
  if (const Result got = entries.context_current(&before_); got != kSuccess) return got;
  if (before_ != device.context()) {
    if (const Result set = entries.context_set(device.context()); set != kSuccess) return set;
    changed_ = true;
  }
  driver_ = &entries;
  return kSuccess;
}

Current::Current(const CudaDevice& device) {
  if (is_forked()) crossdock::cuda::driver();  // says so
  check(enter(device), "cuCtxSetCurrent", device.spec());
}

Current::Current(const CudaDevice& device, std::nothrow_t) noexcept {
  if (!is_forked()) enter(device);
}

Current::~Current() {
  if (changed_) driver_->context_set(before_);
}

}  // namespace crossdock::cuda
