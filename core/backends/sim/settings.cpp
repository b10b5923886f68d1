#include "settings.h"

#include <unistd.h>

#include "crossdock/runtime/environment.h"
#include "crossdock/runtime/lazy_devices.h"

namespace crossdock::sim {
namespace {

constexpr std::int64_t kMostMemory = std::int64_t{1} << 44;  // twice that, for 64 devices, is what addresses allow

std::int64_t memory() noexcept {
  auto nbytes = positive_integer("CROSSDOCK_SIM_MEMORY", INT64_MAX).value_or(0);
  return nbytes >= 1 && nbytes <= kMostMemory ? nbytes : std::int64_t{8} << 30;
}

}  // namespace

const Settings& settings() noexcept {
  static const Settings once{
      static_cast<int>(positive_integer("CROSSDOCK_SIM_DEVICES", kMaxDevices).value_or(2)),
      memory(),
      positive_number("CROSSDOCK_SIM_LATENCY_US", 1e6).value_or(0),
      positive_number("CROSSDOCK_SIM_H2D_GBPS", 1e6).value_or(0),
      positive_number("CROSSDOCK_SIM_D2H_GBPS", 1e6).value_or(0),
  };
  return once;
}

}  // namespace crossdock::sim
