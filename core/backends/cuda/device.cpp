#include "device.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "crossdock/runtime/error.h"
#include "pinned.h"

namespace crossdock::cuda {
namespace {

int attribute(const Driver& driver, DeviceAttribute which, DeviceNumber number, const std::string& device) {
  int value = 0;
  check(driver.device_attribute(&value, which, number), "cuDeviceGetAttribute", device);
  return value;
}

// CUDA's own variable for finding which operation fails: every launch is waited for.
bool launches_block() noexcept {
  static const bool once = [] {
    const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value && std::strcmp(value, "1") == 0;
  }();
  return once;
}

}  // namespace

// There is a driver: without one the back-end counts no device.
CudaDevice::CudaDevice(Backend& backend, int index)
    : Device(backend, index),
      driver_(*find_driver()),
      events_(*this),
      custody_(*this),
      functions_(*this),
      allocator_(*this) {}

ContextHandle CudaDevice::retain_context() const {
  cuda::driver();  // started, or says why it cannot be
  std::lock_guard lock(retaining_);
  if (has_context_.load(std::memory_order_relaxed)) return context_;
  cuda::check(driver_.device_get(&number_, index()), "cuDeviceGet", spec());
  const int major = attribute(driver_, DeviceAttribute::compute_capability_major, number_, spec());
  const int minor = attribute(driver_, DeviceAttribute::compute_capability_minor, number_, spec());
  architecture_.number = major * 10 + minor;
  multiprocessors_ = attribute(driver_, DeviceAttribute::multiprocessor_count, number_, spec());
  std::size_t total = 0;
  cuda::check(driver_.device_total_memory(&total, number_), "cuDeviceTotalMem", spec());
  total_memory_ = static_cast<std::int64_t>(total);
  cuda::check(driver_.primary_context_retain(&context_, number_), "cuDevicePrimaryCtxRetain", spec());
  has_context_.store(true, std::memory_order_release);
  return context_;
}

CudaStream& CudaDevice::start() {
  retain_context();
  std::lock_guard lock(starting_);
  if (!stream_) stream_ = std::make_unique<CudaStream>(*this, kLegacyStream);
  started_.store(true, std::memory_order_release);
  return *stream_;
}

CudaStream& CudaDevice::own(Stream& stream) const {
  if (&stream.device() == this) [[likely]]
    return static_cast<CudaStream&>(stream);
  throw DeviceError("a stream of " + stream.device().spec() + " cannot serve " + spec(), spec());
}

void CudaDevice::launch(Launch launch) {
  const Kernel kernel = backend().kernel(launch.op, launch.dtype, *this);
  CudaStream& stream = launch.stream ? own(*launch.stream) : default_stream();
  launch.stream = &stream;
  const Current current(*this);
  stream.failures().launched(name(launch.op).data());
  kernel(launch);
  if (launches_block()) stream.synchronize();
}

// Waits for the stream. The host's memory stays where it is until then, also when the wait is interrupted.
void CudaDevice::finish(CudaStream& stream, std::shared_ptr<const void> keepalive) {
  try {
    stream.synchronize();
  } catch (const AsyncDeviceError&) {  // over all the same
    throw;
  } catch (...) {
    custody_.hold(stream.handle(), std::move(keepalive));
    throw;
  }
}

void CudaDevice::upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
                        std::shared_ptr<const void> keepalive, bool blocking) {
  if (!nbytes) return;
  CudaStream& here = own(stream);
  const Current current(*this);
  here.failures().launched("upload");
  here.check(driver_.copy_to_device(device_pointer(to), from_host, nbytes, here.handle()), "cuMemcpyHtoDAsync");
  // The driver has staged memory that is not page-locked before it returns.
  if (!is_known_to_driver(*this, from_host)) return;
  if (blocking)
    finish(here, std::move(keepalive));
  else
    custody_.hold(here.handle(), std::move(keepalive));
}

void CudaDevice::download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                          std::shared_ptr<const void> keepalive, bool blocking) {
  if (!nbytes) return;
  CudaStream& here = own(stream);
  const Current current(*this);
  // Into memory that is not page-locked the driver copies before it returns, after a wait that nobody can interrupt.
  if (!is_known_to_driver(*this, to_host)) here.synchronize();
  here.failures().launched("download");
  here.check(driver_.copy_to_host(to_host, device_pointer(from), nbytes, here.handle()), "cuMemcpyDtoHAsync");
  if (blocking)
    finish(here, std::move(keepalive));
  else
    custody_.hold(here.handle(), std::move(keepalive));
}

void CudaDevice::let_reach(const CudaDevice& other) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << other.index();
  if (peers_.load(std::memory_order_relaxed) & bit) return;
  int can = 0;
  // Without it, as when too many others have it, the driver copies by way of the host.
  if (driver_.can_access_peer(&can, number_, other.number_) == kSuccess && can)
    driver_.enable_peer_access(other.context_, 0);
  peers_.fetch_or(bit, std::memory_order_relaxed);
}

void CudaDevice::copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) {
  if (!nbytes) return;
  if (&source.backend() != &backend())
    throw DeviceError("copy: " + spec() + " cannot read memory of " + source.spec(), spec());
  auto& other = static_cast<CudaDevice&>(source);
  CudaStream& here = own(stream);
  Stream* involved[] = {&default_stream(), &other.default_stream()};
  for (Stream* one : involved)
    if (one != &here) here.wait(one->record());
  {
    const Current current(*this);
    here.failures().launched("copy");
    if (&other == this) {
      here.check(driver_.copy_on_device(device_pointer(to), device_pointer(from), nbytes, here.handle()),
                 "cuMemcpyDtoDAsync");
    } else {
      let_reach(other);
      here.check(
          driver_.copy_peer(device_pointer(to), context_, device_pointer(from), other.context_, nbytes, here.handle()),
          "cuMemcpyPeerAsync");
      here.failures().follow(other.stream_->shared_failures());
    }
  }
  const Event copied = here.record();
  for (Stream* one : involved)
    if (one != &here) one->wait(copied);
}

void CudaDevice::synchronize() {
  if (!is_started() && !is_forked()) return;
  const Current current(*this);
  // Made of waits that can be interrupted; then what other streams and libraries have queued.
  stream_->synchronize();
  stream_->failures().surface(driver_.context_synchronize());
}

void CudaDevice::after_work(std::function<void()> then) noexcept {
  if (!is_started()) return then();
  const Current current(*this, std::nothrow);
  if (!current || driver_.stream_query(stream_->handle()) != kNotReady) return then();
  struct Later {
    std::function<void()> then;
    ~Later() { then(); }
  };
  try {
    custody_.hold(stream_->handle(), std::make_shared<Later>(std::move(then)));
  } catch (const std::exception&) {  // no memory for that
    driver_.stream_synchronize(stream_->handle());
    then();
  }
}

// A kernel that touched any other address would break the context for every library in the process.
bool CudaDevice::may_be_memory(const std::byte* data) {
  default_stream();  // started
  const Current current(*this);
  return is_known_to_driver(*this, data);
}

// DLPack's numbers: 1 the legacy default stream, 2 the per-thread one, -1 no order wanted, others are handles.
void CudaDevice::order_before(std::optional<std::int64_t> consumer) {
  constexpr std::int64_t kNoOrder = -1, kLegacy = 1;
  if (!consumer || *consumer == kNoOrder || *consumer == kLegacy) return;
  if (*consumer <= 0) {
    throw ExchangeError("__dlpack__: stream " + std::to_string(*consumer) + " means nothing on '" + spec() +
                        "'; None, -1, 1 (legacy default), 2 (per-thread default) and stream handles do");
  }
  const Current current(*this);
  const Recorded ready(*this, default_stream().handle());
  const auto handle = reinterpret_cast<StreamHandle>(static_cast<std::uintptr_t>(*consumer));
  check(driver_.stream_wait_event(handle, ready.handle(), 0), "cuStreamWaitEvent");
}

}  // namespace crossdock::cuda
