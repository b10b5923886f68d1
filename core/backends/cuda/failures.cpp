#include <algorithm>
#include <atomic>
#include <cstring>

#include "crossdock/runtime/error.h"
#include "device.h"
#include "failure_text.h"
#include "stream.h"

namespace crossdock::cuda {

Failures::Failures(CudaDevice& device) : device_(device) {
  void* data = nullptr;
  cuda::check(device.driver().host_allocate(&data, sizeof(ErrorRecord), kHostAllocPortable | kHostAllocDeviceMap),
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

void Failures::follow(const std::shared_ptr<Failures>& source) {
  std::vector<std::shared_ptr<Failures>> added{source};
  {
    std::lock_guard lock(source->mutex_);
    added.insert(added.end(), source->followed_.begin(), source->followed_.end());
  }
  std::lock_guard lock(mutex_);
  for (auto& one : added)
    if (one.get() != this && std::ranges::find(followed_, one) == followed_.end()) followed_.push_back(std::move(one));
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

// What the device says of all that comes after the first: who was suspect then stays it.
void Failures::fail_for_good(Result result) {
  std::lock_guard lock(mutex_);
  if (!lasting_ || lasting_result_ != result) {
    const std::string ops = suspects(), reason = text_of(result);
    const bool one = launches_.load() - waited_for_.load() == 1;
    const std::string who = ops.empty() ? "synchronize" : one ? ops : "one of the last operations (" + ops + ")";
    const std::string advice = one || ops.empty() ? "" : " (set CUDA_LAUNCH_BLOCKING=1 to find which one)";
    lasting_.emplace(who + " failed on " + device_.spec() + ": " + reason + advice, device_.spec(),
                     ops.empty() ? "synchronize" : ops, reason, AsyncDeviceError::Cause::other);
    lasting_result_ = result;
  }
  throw AsyncDeviceError(*lasting_);
}

void Failures::check(Result result, const char* call) {
  if (result == kSuccess) [[likely]]
    return;
  if (is_lasting(result)) fail_for_good(result);
  fail(result, call, device_.spec());
}

bool Failures::take(ErrorRecord& found) noexcept {
  std::atomic_ref<int> whole(record_->whole);
  if (!whole.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(mutex_);
  if (!whole.load(std::memory_order_acquire)) return false;
  found = *record_;
  whole.store(0, std::memory_order_relaxed);
  // Last, since from then on a kernel may write the next one.
  std::atomic_ref<int>(record_->taken).store(0, std::memory_order_release);
  return true;
}

// What failed on another device before data came from there: that device tells it as well.
void Failures::surface_followed() {
  std::vector<std::shared_ptr<Failures>> followed;
  {
    std::lock_guard lock(mutex_);
    followed.swap(followed_);
  }
  for (const auto& one : followed) {
    std::lock_guard lock(one->mutex_);
    if (std::atomic_ref(one->record_->whole).load(std::memory_order_acquire))
      throw failure_of(*one->record_, one->device_.spec());
  }
}

void Failures::surface(Result result) { surface(result, false); }

void Failures::surface(Result result, bool at_end) {
  if (result != kSuccess) fail_for_good(result);
  const auto launches = launches_.load();
  const auto since = launches - waited_for_.exchange(launches);
  if (ErrorRecord found; take(found)) throw failure_of(found, device_.spec(), !at_end && since > 1);
  std::string op, reason;
  {
    std::lock_guard lock(mutex_);
    op.swap(host_op_);
    reason.swap(host_reason_);
    if (op.empty() && followed_.empty()) return;
  }
  if (op.empty()) return surface_followed();
  throw AsyncDeviceError(op + " failed on " + device_.spec() + ": " + reason, device_.spec(), op, reason,
                         AsyncDeviceError::Cause::other);
}

std::string Failures::take_untold(Result result) noexcept {
  try {
    {
      std::lock_guard lock(mutex_);
      followed_.clear();  // their own devices tell
      if (result != kSuccess && lasting_) return {};
    }
    surface(result, true);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace crossdock::cuda
