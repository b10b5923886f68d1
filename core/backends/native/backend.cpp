#include <memory>

#include "crossdock/backends/native.h"
#include "crossdock/runtime/device.h"
#include "crossdock/runtime/environment.h"
#include "crossdock/runtime/lazy_devices.h"
#include "device.h"

namespace crossdock {
namespace native {
namespace {

class NativeBackend final : public Backend {
 public:
  NativeBackend()
      : Backend("native", &native::kernels()),
        count_(static_cast<int>(positive_integer("CROSSDOCK_NATIVE_DEVICES", kMaxDevices).value_or(2))) {}

  int device_count() const noexcept override { return count_; }
  std::int32_t dlpack_type() const noexcept override { return 1; }  // kDLCPU
  Device& device(int index) override {
    return devices_.get(index, [&] { return new NativeDevice(*this, index); });
  }

 private:
  int count_;
  LazyDevices<NativeDevice> devices_;
};

}  // namespace
}  // namespace native

// A second call does nothing: the extension module and a test may share one process.
void register_native() {
  if (!find_backend("native")) register_backend(std::make_unique<native::NativeBackend>());
}

}  // namespace crossdock
