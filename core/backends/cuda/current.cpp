#include "current.h"

#include <exception>

#include "device.h"

namespace crossdock::cuda {

Result Current::enter(const CudaDevice& device, ContextHandle context) noexcept {
  const Driver& entries = device.driver();
  if (const Result got = entries.context_current(&before_); got != kSuccess) return got;
  if (before_ != context) {
    if (const Result set = entries.context_set(context); set != kSuccess) return set;
    changed_ = true;
  }
  driver_ = &entries;
  return kSuccess;
}

Current::Current(const CudaDevice& device) {
  if (is_forked()) crossdock::cuda::driver();  // says so
  check(enter(device, device.context()), "cuCtxSetCurrent", device.spec());
}

Current::Current(const CudaDevice& device, std::nothrow_t) noexcept {
  if (is_forked()) return;
  try {
    enter(device, device.context());
  } catch (const std::exception&) {  // it does not start
  }
}

Current::~Current() {
  if (changed_) driver_->context_set(before_);
}

}  // namespace crossdock::cuda
