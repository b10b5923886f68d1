// A stream of a CUDA device, and what its waits must know.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/op.h"
#include "crossdock/runtime/stream.h"
#include "event.h"
#include "kernels/args.h"

namespace crossdock::cuda {

class CudaDevice;

// What has failed on a stream, found by its kernels, its host work or the device; told once, by a wait. Shared with the
// stream's events.
class Failures {
 public:
  explicit Failures(CudaDevice& device);  // with the device's context current
  ~Failures();
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  ErrorRecord* record() const noexcept { return record_; }
  void launched(const char* op) noexcept;  // for the device's errors, which do not say whose they are
  void host_work_failed(const char* op, const std::string& reason) noexcept;
  // Data comes from the stream with that source: what has failed there is told by the next wait here, too.
  void follow(const std::shared_ptr<Failures>& source);
  // After a wait that ended with `result`: throws AsyncDeviceError if something has failed.
  void surface(Result result);
  // Of a call that queues work: AsyncDeviceError when it tells of earlier work, DeviceError with its name otherwise.
  void check(Result result, const char* call);
  // For the end of the process, after a wait that ended with `result`; empty when there is none.
  std::string take_untold(Result result) noexcept;

 private:
  static constexpr std::size_t kRemembered = 4;
  std::string suspects() const;
  [[noreturn]] void fail_for_good(Result result);
  bool take(ErrorRecord& found) noexcept;
  void surface(Result result, bool at_end);
  void surface_followed();

  CudaDevice& device_;
  ErrorRecord* record_;  // page-locked, seen by the device at the same address
  std::array<std::atomic<const char*>, kRemembered> ops_{};
  std::atomic<std::size_t> launches_{0}, waited_for_{0};
  std::string host_op_, host_reason_;
  std::vector<std::shared_ptr<Failures>> followed_;
  std::optional<AsyncDeviceError> lasting_;  // of all calls from now on
  Result lasting_result_ = kSuccess;
  std::mutex mutex_;
};

class CudaStream final : public Stream {
 public:
  // A new one that other streams do not wait for; or one that the device has anyway, such as kLegacyStream.
  explicit CudaStream(CudaDevice& device);
  CudaStream(CudaDevice& device, StreamHandle existing);
  ~CudaStream() override;

  void enqueue(const char* op, std::function<void()> work) override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;
  std::uintptr_t native_handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(handle_); }

  StreamHandle handle() const noexcept { return handle_; }
  Failures& failures() const noexcept { return *failures_; }
  const std::shared_ptr<Failures>& shared_failures() const noexcept { return failures_; }
  void check(Result result, const char* call) const { failures_->check(result, call); }

 private:
  CudaDevice& device_;
  StreamHandle handle_ = nullptr;
  bool owned_;
  std::shared_ptr<Failures> failures_;
};

// Calls `query` until it no longer says "not ready", politely after the first moments; an interrupt ends the wait.
Result wait_until_ready(const std::function<Result()>& query);

}  // namespace crossdock::cuda
