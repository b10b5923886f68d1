// What the environment says about the simulated accelerator; read once.
#pragma once

#include <cstdint>

namespace crossdock::sim {

struct Settings {
  int devices;            // CROSSDOCK_SIM_DEVICES
  std::int64_t memory;    // CROSSDOCK_SIM_MEMORY: bytes of each device
  double latency_us;      // CROSSDOCK_SIM_LATENCY_US: of each operation; 0: as fast as it goes, as below
  double to_device_gbps;  // CROSSDOCK_SIM_H2D_GBPS: 1e9 bytes per second
  double to_host_gbps;    // CROSSDOCK_SIM_D2H_GBPS
};

const Settings& settings() noexcept;

}  // namespace crossdock::sim
