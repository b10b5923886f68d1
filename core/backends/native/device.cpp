#include "device.h"

#include <cstring>
#include <functional>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/thread_pool.h"

namespace crossdock::native {
namespace {

void copy_bytes(std::byte* to, const std::byte* from, std::size_t nbytes) {
  constexpr std::int64_t kGrain = 512 * 1024;
  std::less<const std::byte*> before;
  bool overlap = before(to, from + nbytes) && before(from, to + nbytes);
  if (overlap || nbytes <= kGrain) {
    if (nbytes) std::memmove(to, from, nbytes);
    return;
  }
  parallel_for(static_cast<std::int64_t>(nbytes), kGrain, [=](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

NativeDevice::NativeDevice(Backend& backend, int index) : Device(backend, index), allocator_(spec()), stream_(*this) {}

const std::string& NativeDevice::physical() const noexcept {
  static const std::string* host = new std::string("host");
  return *host;
}

void NativeDevice::launch(Launch launch) {
  Kernel kernel = backend().kernel(launch.op, launch.dtype, *this);
  if (!launch.stream) launch.stream = &stream_;
  kernel(launch);
}

void NativeDevice::upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream&,
                          std::shared_ptr<const void>, bool) {
  copy_bytes(to, from_host, nbytes);
}

void NativeDevice::download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream&,
                            std::shared_ptr<const void>, bool) {
  copy_bytes(to_host, from, nbytes);
}

void NativeDevice::copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream&) {
  if (!source.is_host()) throw DeviceError("copy: " + spec() + " cannot read memory of " + source.spec(), spec());
  copy_bytes(to, from, nbytes);
}

}  // namespace crossdock::native
