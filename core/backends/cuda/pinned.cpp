#include "pinned.h"

#include "current.h"
#include "device.h"

namespace crossdock::cuda {
namespace {

class PageLocked final : public PinnedMemory {
 public:
  explicit PageLocked(CudaDevice* (*any_device)()) noexcept : any_device_(any_device) {}

  std::byte* take(std::size_t nbytes) noexcept override {
    CudaDevice* device = any_device_();
    if (!device) return nullptr;
    const Current current(*device, std::nothrow);
    void* data = nullptr;
    if (!current || device->driver().host_allocate(&data, nbytes, kHostAllocPortable) != kSuccess) return nullptr;
    return static_cast<std::byte*>(data);
  }

  void give_back(std::byte* data, std::size_t /*nbytes*/) noexcept override {
    CudaDevice* device = any_device_();
    if (!device) return;
    if (const Current current(*device, std::nothrow); current) device->driver().host_free(data);
  }

 private:
  CudaDevice* (*any_device_)();
};

}  // namespace

std::unique_ptr<PinnedMemory> page_locked_memory(CudaDevice* (*any_device)()) {
  return std::make_unique<PageLocked>(any_device);
}

bool is_known_to_driver(const CudaDevice& device, const void* data) noexcept {
  unsigned kind = 0;
  return device.driver().pointer_attribute(&kind, kPointerMemoryType, device_pointer(data)) == kSuccess && kind != 0;
}

}  // namespace crossdock::cuda
