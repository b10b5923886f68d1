#include "faults.h"

#include <array>
#include <atomic>
#include <string>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/lazy_devices.h"
#include "settings.h"

namespace crossdock::sim {
namespace {

constexpr std::int64_t kNever = -1;

// How many more requests go well; kNever when no fault was asked for.
struct Countdowns {
  std::atomic<std::int64_t> oom{kNever}, copy_error{kNever}, device_lost{kNever};
  std::atomic<bool> lost{false};  // the device is, from the first request that failed so
};

std::array<Countdowns, kMaxDevices> countdowns;

Countdowns& of(int index) noexcept { return countdowns[static_cast<std::size_t>(index)]; }

bool request_fails(std::atomic<std::int64_t>& left) noexcept {
  std::int64_t now = left.load(std::memory_order_relaxed);
  while (now > 0)
    if (left.compare_exchange_weak(now, now - 1)) return false;
  return now == 0;
}

std::atomic<std::int64_t> Countdowns::* countdown(std::string_view kind) {
  if (kind == "oom") return &Countdowns::oom;
  if (kind == "copy_error") return &Countdowns::copy_error;
  if (kind == "device_lost") return &Countdowns::device_lost;
  throw ValueError("sim.inject: no fault '" + std::string(kind) + "'; known faults: copy_error, device_lost, oom");
}

}  // namespace

bool allocation_fails(int index) noexcept { return request_fails(of(index).oom); }
bool copy_fails(int index) noexcept { return request_fails(of(index).copy_error); }

bool operation_finds_device_lost(int index) noexcept {
  if (!request_fails(of(index).device_lost)) return false;
  of(index).lost.store(true);
  return true;
}

bool is_lost(int index) noexcept { return of(index).lost.load(std::memory_order_relaxed); }

void inject(std::string_view kind, std::optional<int> index, std::int64_t after) {
  auto member = countdown(kind);
  int count = settings().devices;
  if (after < 0) throw ValueError("sim.inject: after must be 0 or more, not " + std::to_string(after));
  if (index && (*index < 0 || *index >= count))
    throw DeviceUnavailableError(
        "sim.inject: no device 'sim:" + std::to_string(*index) + "' here: there are " + std::to_string(count),
        "sim:" + std::to_string(*index), "index out of range", count);
  for (int i = index.value_or(0); i < (index ? *index + 1 : count); ++i) {
    (of(i).*member).store(after);
    if (member == &Countdowns::device_lost) of(i).lost.store(after == 0);
  }
}

void clear_faults() {
  for (auto& device : countdowns) {
    for (auto* countdown : {&device.oom, &device.copy_error, &device.device_lost}) countdown->store(kNever);
    device.lost.store(false);
  }
}

}  // namespace crossdock::sim
