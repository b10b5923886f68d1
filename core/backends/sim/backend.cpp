#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "crossdock/runtime/device.h"
#include "crossdock/runtime/lazy_devices.h"
#include "device.h"
#include "settings.h"

namespace crossdock {
namespace sim {
namespace {

class SimBackend final : public Backend {
 public:
  explicit SimBackend(const KernelTable& host_kernels) : Backend("sim", &host_kernels) {}
  int device_count() const noexcept override { return settings().devices; }
  std::int32_t dlpack_type() const noexcept override { return 12; }  // kDLExtDev
  Device& device(int index) override {
    return devices_.get(index, [&] { return new SimDevice(*this, index); });
  }
  std::vector<std::string> drain() override {
    std::vector<std::string> untold;
    std::exception_ptr interrupt;
    devices_.for_each([&](SimDevice& device) {
      try {
        device.drain();
        if (const auto failure = device.take_failure())
          untold.push_back(failure->op + " failed on " + device.spec() + ": " + failure->reason);
      } catch (...) {
        device.abandon();
        interrupt = std::current_exception();
      }
    });
    if (interrupt) std::rethrow_exception(interrupt);
    return untold;
  }

 private:
  LazyDevices<SimDevice> devices_;
};

}  // namespace
}  // namespace sim

// Its kernels are native's, over its own memory.
void register_sim() {
  if (find_backend("sim")) return;
  register_native();
  register_backend(std::make_unique<sim::SimBackend>(find_backend("native")->kernels()));
}

}  // namespace crossdock
