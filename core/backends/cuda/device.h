// A CUDA GPU: its primary context, which it shares with every other library in the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "allocator.h"
#include "compiler.h"
#include "crossdock/runtime/device.h"
#include "current.h"
#include "custody.h"
#include "driver.h"
#include "event.h"
#include "functions.h"
#include "stream.h"

namespace crossdock::cuda {

class CudaDevice final : public Device {
 public:
  CudaDevice(Backend& backend, int index);  // starts nothing: the first use does, and throws DeviceError

  const std::string& physical() const noexcept override { return spec(); }
  bool is_host() const noexcept override { return false; }
  std::int32_t dlpack_id() const noexcept override { return index(); }
  Allocator& allocator() noexcept override { return allocator_; }
  CudaStream& default_stream() override {  // the legacy default stream
    return is_started() ? *stream_ : start();
  }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<CudaStream>(*this); }
  void launch(Launch launch) override;
  // A page-locked source must stay as it is until an upload that does not block is over; another has been read.
  void upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
              std::shared_ptr<const void> keepalive, bool blocking) override;
  void download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                std::shared_ptr<const void> keepalive, bool blocking) override;
  // After all work of both default streams, and before later work of both.
  void copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) override;
  void synchronize() override;
  bool may_be_memory(const std::byte* data) override;
  void order_before(std::optional<std::int64_t> consumer) override;
  void after_work(std::function<void()> then) noexcept override;

  const Driver& driver() const noexcept { return driver_; }
  bool is_started() const noexcept { return started_.load(std::memory_order_acquire); }
  // Started by the first call; DeviceError, and the next call tries again.
  ContextHandle context() const { return has_context_.load(std::memory_order_acquire) ? context_ : retain_context(); }
  // What follows is of a device that is started.
  Architecture architecture() const noexcept { return architecture_; }
  int multiprocessors() const noexcept { return multiprocessors_; }
  std::int64_t total_memory() const noexcept { return total_memory_; }
  EventPool& events() noexcept { return events_; }
  Custody& custody() noexcept { return custody_; }
  Functions& functions() noexcept { return functions_; }
  // Of a call that queues work or needs the device: see Failures::check.
  void check(Result result, const char* call) const { stream_->check(result, call); }
  CudaStream& own(Stream& stream) const;  // DeviceError for another device's

 private:
  void finish(CudaStream& stream, std::shared_ptr<const void> keepalive);
  CudaStream& start();
  ContextHandle retain_context() const;
  void let_reach(const CudaDevice& other) noexcept;  // peer access, where there is any

  const Driver& driver_;
  mutable DeviceNumber number_ = 0;
  mutable ContextHandle context_ = nullptr;
  mutable Architecture architecture_;
  mutable int multiprocessors_ = 1;
  mutable std::int64_t total_memory_ = 0;
  mutable std::atomic<bool> has_context_{false};
  mutable ForkMutex retaining_;
  EventPool events_;
  Custody custody_;
  Functions functions_;
  CudaAllocator allocator_;
  std::unique_ptr<CudaStream> stream_;
  std::atomic<bool> started_{false};  // there is a stream
  ForkMutex starting_;
  std::atomic<std::uint64_t> peers_{0};  // devices that have been let in, a bit each
};

}  // namespace crossdock::cuda
