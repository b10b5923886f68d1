// Device: one place where arrays live and operations run. Backend: all devices of one kind, and their kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/kernel.h"
#include "crossdock/runtime/memory_info.h"
#include "crossdock/runtime/pinned_pool.h"
#include "crossdock/runtime/stream.h"

namespace crossdock {

class Backend;

// Made once per index by its back-end, lives until the process ends; compared by address.
class Device {
 public:
  Device(Backend& backend, int index);
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Backend& backend() const noexcept { return backend_; }
  int index() const noexcept { return index_; }
  const std::string& spec() const noexcept { return spec_; }  // 'native:0'
  virtual const std::string& physical() const noexcept = 0;   // 'host', 'sim:0': same string, same memory
  virtual bool is_host() const noexcept = 0;                  // the host may read and write its memory
  std::int32_t dlpack_type() const noexcept;                  // DLDeviceType
  virtual std::int32_t dlpack_id() const noexcept = 0;
  virtual Allocator& allocator() noexcept = 0;
  virtual Stream& default_stream() = 0;  // DeviceError where it cannot be had, as when a GPU does not start
  virtual std::unique_ptr<Stream> make_stream() = 0;

  // Runs or enqueues launch.op on launch.stream (default: default_stream()); NotImplementedError when no kernel serves
  // it.
  virtual void launch(Launch launch) = 0;

  // Raw copies of contiguous bytes between this device and host memory or a device of the same kind; in stream order.
  // `keepalive` holds the host side until the copy is over. Blocking ones return when the host side may be touched.
  virtual void upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
                      std::shared_ptr<const void> keepalive, bool blocking) = 0;
  // As `upload` without waiting, from a block that nobody writes to before it is over.
  virtual void upload_staged(std::byte* to, std::shared_ptr<const PinnedBlock> block, std::size_t nbytes,
                             Stream& stream) {
    const std::byte* from = block->data();
    upload(to, from, nbytes, stream, std::move(block), false);
  }
  virtual void download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                        std::shared_ptr<const void> keepalive, bool blocking) = 0;
  virtual void copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) = 0;

  virtual void synchronize() = 0;
  // Whether another library's address can be memory that this device works with; true where nobody can tell.
  virtual bool may_be_memory(const std::byte* /*data*/) { return true; }
  // Before another library's `consumer` stream, numbered as DLPack does, goes on with an array of this device: what is
  // queued here for it comes first, or is over. Empty: the consumer knows no streams. ExchangeError for a number that
  // means nothing here.
  virtual void order_before(std::optional<std::int64_t> consumer);
  // Calls `then`, which throws nothing, when the work is over that the default stream has now: from another thread, if
  // need be. At once where the host waits for all work anyway.
  virtual void after_work(std::function<void()> then) noexcept { then(); }
  MemoryInfo memory_info() { return allocator().memory_info(); }

 private:
  Backend& backend_;
  int index_;
  std::string spec_;
};

class Backend {
 public:
  // `pinned`: where host memory for copies comes from.
  Backend(std::string name, const KernelTable* parent, std::unique_ptr<PinnedMemory> pinned = plain_host_memory())
      : name_(std::move(name)), kernels_(parent), pinned_pool_(std::move(pinned)) {}
  virtual ~Backend() = default;
  const std::string& name() const noexcept { return name_; }                           // the KIND of specs
  virtual int device_count() const noexcept = 0;                                       // cheap; starts nothing
  virtual std::int32_t dlpack_type() const noexcept = 0;                               // DLDeviceType of its devices
  virtual std::string why_none() const { return "there is no " + name_ + " device"; }  // when there are no devices
  virtual Device& device(int index) = 0;  // made on first use; the registry checked the index
  // Waits for the devices that have been made, and says which failures on them nobody has been told; an interrupt drops
  // what has not begun.
  virtual std::vector<std::string> drain() { return {}; }
  PinnedPool& pinned_pool() noexcept { return pinned_pool_; }  // for copies between its devices and the host
  KernelTable& kernels() noexcept { return kernels_; }
  const KernelTable& kernels() const noexcept { return kernels_; }
  // The kernel for an operation on `device`; NotImplementedError naming operation, dtype and device, or what else the
  // operation needs.
  Kernel kernel(Op op, Dtype dtype, const Device& device) const;

 private:
  std::string name_;
  KernelTable kernels_;
  PinnedPool pinned_pool_;
};

inline std::int32_t Device::dlpack_type() const noexcept { return backend_.dlpack_type(); }

// Back-ends in the order they were registered; filled once, before any array is made.
void register_backend(std::unique_ptr<Backend> backend);
std::vector<Backend*> backends();
Backend* find_backend(std::string_view name) noexcept;  // null when there is none

// Parses `KIND[:INDEX]`; index is 0 or [1-9][0-9]{0,4}. SpecError outside the grammar, DeviceUnavailableError when the
// kind has no such index.
Device& find_device(std::string_view spec);

// Each back-end's one entry, called by the extension module (and by tests).
void register_native();
void register_sim();
void register_cuda();

}  // namespace crossdock
