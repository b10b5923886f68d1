// A native device: the host's memory and threads. All of them are the same place; several let code for several devices
// be tried anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "allocator.h"
#include "crossdock/runtime/device.h"
#include "stream.h"

namespace crossdock::native {

class NativeDevice final : public Device {
 public:
  NativeDevice(Backend& backend, int index);

  const std::string& physical() const noexcept override;
  bool is_host() const noexcept override { return true; }
  std::int32_t dlpack_id() const noexcept override { return 0; }
  Allocator& allocator() noexcept override { return allocator_; }
  Stream& default_stream() noexcept override { return stream_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<InlineStream>(*this); }
  void launch(Launch launch) override;
  void upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
              std::shared_ptr<const void> keepalive, bool blocking) override;
  void download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                std::shared_ptr<const void> keepalive, bool blocking) override;
  void copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) override;
  void synchronize() override {}

 private:
  HostAllocator allocator_;
  InlineStream stream_;
};

}  // namespace crossdock::native
