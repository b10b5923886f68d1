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
  CudaDevice(Backend& backend, int index);  // starts CUDA; DeviceError

  const std::string& physical() const noexcept override { return spec(); }
  bool is_host() const noexcept override { return false; }
  std::int32_t dlpack_id() const noexcept override { return index(); }
  Allocator& allocator() noexcept override { return allocator_; }
  CudaStream& default_stream() noexcept override { return *stream_; }  // the legacy default stream
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
  void order_before(std::optional<std::int64_t> consumer) override;

  const Driver& driver() const noexcept { return driver_; }
  ContextHandle context() const noexcept { return context_; }
  Architecture architecture() const noexcept { return architecture_; }
  int multiprocessors() const noexcept { return multiprocessors_; }
  std::int64_t total_memory() const noexcept { return total_memory_; }
  EventPool& events() noexcept { return events_; }
  Functions& functions() noexcept { return functions_; }
  CudaStream& own(Stream& stream) const;  // DeviceError for another device's

 private:
  enum class HostSide { pageable, page_locked };
  void finish(CudaStream& stream, std::shared_ptr<const void> keepalive);
  void let_reach(const CudaDevice& other);  // peer access, where there is any

  const Driver& driver_;
  DeviceNumber number_ = 0;
  ContextHandle context_ = nullptr;
  Architecture architecture_;
  int multiprocessors_ = 1;
  std::int64_t total_memory_ = 0;
  EventPool events_;
  Custody custody_;
  Functions functions_;
  CudaAllocator allocator_;
  std::unique_ptr<CudaStream> stream_;
  std::atomic<std::uint64_t> peers_{0};  // devices that have been let in, a bit each
};

}  // namespace crossdock::cuda
