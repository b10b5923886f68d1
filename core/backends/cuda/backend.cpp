#include <memory>
#include <string>
#include <vector>

#include "crossdock/runtime/device.h"
#include "crossdock/runtime/lazy_devices.h"
#include "device.h"
#include "gpus.h"
#include "kernels.h"
#include "pinned.h"

namespace crossdock {
namespace cuda {
namespace {

LazyDevices<CudaDevice>& devices() {
  static auto* all = new LazyDevices<CudaDevice>;  // never freed, as all devices
  return *all;
}

CudaDevice* any_device() {
  CudaDevice* any = nullptr;
  devices().for_each([&](CudaDevice& device) { any = any ? any : &device; });
  return any;
}

class CudaBackend final : public Backend {
 public:
  CudaBackend() : Backend("cuda", &cuda::kernels(), page_locked_memory(any_device)) {}
  int device_count() const noexcept override { return gpus().count > 0 && find_driver() ? gpus().count : 0; }
  std::int32_t dlpack_type() const noexcept override { return 2; }  // kDLCUDA
  std::string why_none() const override {
    return gpus().count == 0 ? gpus().reason : find_driver() ? Backend::why_none() : driver_problem();
  }
  Device& device(int index) override {
    return devices().get(index, [&] { return new CudaDevice(*this, index); });
  }
  std::vector<std::string> drain() override {
    std::vector<std::string> untold;
    if (is_forked()) return untold;
    devices().for_each([&](CudaDevice& device) {
      if (!device.is_started()) return;
      const Current current(device, std::nothrow);
      if (!current) return;
      const CudaStream& stream = device.default_stream();
      const Result result = wait_until_ready([&] { return device.driver().stream_query(stream.handle()); });
      device.custody().wait_until_empty();
      if (auto text = stream.failures().take_untold(result); !text.empty()) untold.push_back(std::move(text));
    });
    return untold;
  }
};

}  // namespace
}  // namespace cuda

void register_cuda() {
  if (!find_backend("cuda")) register_backend(std::make_unique<cuda::CudaBackend>());
}

}  // namespace crossdock
