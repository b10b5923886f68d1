// LazyDevices: the devices of a back-end, each made when it is first asked for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "crossdock/runtime/at_fork.h"

namespace crossdock {

inline constexpr int kMaxDevices = 64;  // of one kind

template <class Device>
class LazyDevices {
 public:
  // `make()` gives a new Device, which is never freed. One atomic load when it exists.
  template <class Make>
  Device& get(int index, Make&& make) {
    auto& slot = devices_[static_cast<std::size_t>(index)];
    if (Device* there = slot.load(std::memory_order_acquire)) [[likely]]
      return *there;
    std::lock_guard lock(making_);
    if (!slot.load(std::memory_order_relaxed)) slot.store(make(), std::memory_order_release);
    return *slot.load(std::memory_order_relaxed);
  }

  // Those that have been made.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& slot : devices_) {
      if (Device* there = slot.load(std::memory_order_acquire)) visit(*there);
    }
  }

 private:
  std::array<std::atomic<Device*>, kMaxDevices> devices_{};
  ForkMutex making_;
};

}  // namespace crossdock
