#include <cstring>

#include "crossdock/runtime/error.h"
#include "device.h"
#include "failure_text.h"
#include "stream.h"

namespace crossdock::cuda {

Failures::Failures(CudaDevice& device) : device_(device) {
  void* data = nullptr;
  check(device.driver().host_allocate(&data, sizeof(ErrorRecord), kHostAllocPortable | kHostAllocDeviceMap),
        "cuMemHostAlloc", device.spec());
  std::memset(data, 0, sizeof(ErrorRecord));
  record_ = static_cast<ErrorRecord*>(data);
}

Failures::~Failures() {
  if (const Current current(device_, std::nothrow); current) device_.driver().host_free(record_);
}

void Failures::launched(const char* op) noexcept {
  const auto number = launches_.fetch_add(1, std::memory_order_relaxed);
  ops_[number % kRemembered].store(op, std::memory_order_relaxed);
}

void Failures::host_work_failed(const char* op, const std::string& reason) noexcept {
  try {
    std::lock_guard lock(mutex_);
    if (!host_op_.empty()) return;
    host_reason_ = reason;
    host_op_ = op;
  } catch (const std::exception&) {  // no memory for the words
  }
}

// The operations since the last wait that went well, the newest last.
std::string Failures::suspects() const {
  const auto launches = launches_.load(), waited_for = waited_for_.load();
  const auto first = std::max(waited_for, launches > kRemembered ? launches - kRemembered : 0);
  std::string text = first > waited_for ? "... " : "";
  for (auto number = first; number < launches; ++number) {
    const char* op = ops_[number % kRemembered].load();
    text += (number > first ? ", " : "") + std::string(op ? op : "?");
  }
  return text;
}

void Failures::surface(Result result) {
  const auto launches = launches_.load();
  if (result != kSuccess) {
    const std::string ops = suspects(), reason = text_of(result);
    const bool one = launches - waited_for_.load() == 1;
    throw AsyncDeviceError((ops.empty() ? std::string("synchronize")
                            : one       ? ops
                                        : "one of the last operations (" + ops + ")") +
                               " failed on " + device_.spec() + ": " + reason +
                               (one || ops.empty() ? "" : " (set CUDA_LAUNCH_BLOCKING=1 to find which one)"),
                           device_.spec(), ops.empty() ? "synchronize" : ops, reason, AsyncDeviceError::Cause::other);
  }
  const auto since = launches - waited_for_.exchange(launches);
  if (std::atomic_ref<int>(record_->taken).load(std::memory_order_acquire)) {
    const ErrorRecord found = *record_;
    std::atomic_ref<int>(record_->taken).store(0, std::memory_order_release);
    throw failure_of(found, device_.spec(), since > 1);
  }
  std::string op, reason;
  {
    std::lock_guard lock(mutex_);
    op.swap(host_op_);
    reason.swap(host_reason_);
  }
  if (!op.empty()) {
    throw AsyncDeviceError(op + " failed on " + device_.spec() + ": " + reason, device_.spec(), op, reason,
                           AsyncDeviceError::Cause::other);
  }
}

std::string Failures::take_untold() noexcept {
  try {
    surface(kSuccess);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace crossdock::cuda
