// A simulated accelerator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allocator.h"
#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/device.h"
#include "stream.h"

namespace crossdock::sim {

class SimDevice final : public Device {
 public:
  SimDevice(Backend& backend, int index);

  const std::string& physical() const noexcept override { return spec(); }
  bool is_host() const noexcept override { return false; }
  std::int32_t dlpack_id() const noexcept override { return index(); }
  SimAllocator& allocator() noexcept override { return allocator_; }
  Stream& default_stream() noexcept override { return *stream_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<SimStream>(*this); }
  void launch(Launch launch) override;
  // Not blocking: a source that is changed before it was read makes the copy fail.
  void upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
              std::shared_ptr<const void> keepalive, bool blocking) override;
  void upload_staged(std::byte* to, std::shared_ptr<const PinnedBlock> block, std::size_t nbytes,
                     Stream& stream) override;
  void download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                std::shared_ptr<const void> keepalive, bool blocking) override;
  // Counts as the reader's. After all work of both default streams, and before later work of both.
  void copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) override;
  void synchronize() override;

  void add(std::shared_ptr<Queue> queue);
  void remove(const std::shared_ptr<Queue>& queue) noexcept;
  bool idle() const noexcept;
  void drain();                           // waits for what is queued now; neither counted nor told about failures
  std::optional<Failure> take_failure();  // the first that was not told, of all its streams
  void abandon() noexcept;                // drops what has not begun, waits for the rest

 private:
  std::vector<std::shared_ptr<Queue>> queues() const;
  SimStream& own(Stream& stream) const;
  enum class HostSide { waited_for, checked, staged };  // what keeps a source as it is until it has been read
  void upload(std::byte* to, const std::byte* from, std::size_t nbytes, Stream& stream,
              std::shared_ptr<const void> keepalive, HostSide host_side);
  void copy(SimStream& stream, Task task, bool blocking);

  std::vector<std::shared_ptr<Queue>> queues_;  // of all its streams
  mutable ForkMutex queues_mutex_;
  SimAllocator allocator_;
  std::unique_ptr<SimStream> stream_;
};

}  // namespace crossdock::sim
