#include "counters.h"

#include <array>
#include <atomic>
#include <string>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/lazy_devices.h"
#include "settings.h"

namespace crossdock::sim {
namespace {

struct Counts {
  std::array<std::atomic<std::int64_t>, 3> nbytes{};  // by direction
  std::atomic<std::int64_t> copies{0}, syncs{0};
};

std::array<Counts, kMaxDevices> counts;

Counts& of(int index) noexcept { return counts[static_cast<std::size_t>(index)]; }

}  // namespace

void count_copy(int index, Direction direction, std::size_t nbytes) noexcept {
  of(index).nbytes[static_cast<std::size_t>(direction)] += static_cast<std::int64_t>(nbytes);
  ++of(index).copies;
}

void count_sync(int index) noexcept { ++of(index).syncs; }

Counters counters(int index) {
  int count = settings().devices;
  if (index < 0 || index >= count)
    throw DeviceUnavailableError(
        "sim.counters: no device 'sim:" + std::to_string(index) + "' here: there are " + std::to_string(count),
        "sim:" + std::to_string(index), "index out of range", count);
  const Counts& now = of(index);
  return {now.nbytes[0], now.nbytes[1], now.nbytes[2], now.copies, now.syncs};
}

}  // namespace crossdock::sim
