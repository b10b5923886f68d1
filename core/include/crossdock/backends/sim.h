// sim: an accelerator that needs no hardware. Memory the host cannot touch, asynchronous streams, counters, faults.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crossdock::sim {

// Exact, since the process started.
struct Counters {
  std::int64_t host_to_device_nbytes, device_to_host_nbytes,
      device_to_device_nbytes;  // device_to_device: between two devices
  std::int64_t copies;          // of the three kinds above
  std::int64_t syncs;           // times the host has waited
};
Counters counters(int index);

// 'oom': the allocation after `after` more fails, and all later ones (cached blocks count too; no trim and retry).
// 'copy_error': likewise a copy; reported when its stream is next waited for. 'device_lost': everything fails.
// `index` empty: all devices. Stays until clear_faults(). ValueError for another kind or a negative `after`.
void inject(std::string_view kind, std::optional<int> index, std::int64_t after);
void clear_faults();

}  // namespace crossdock::sim
