#include "allocator.h"

#include <mutex>
#include <new>
#include <string>

#include "crossdock/runtime/error.h"
#include "device.h"
#include "faults.h"
#include "settings.h"

namespace crossdock::sim {

SimAllocator::SimAllocator(SimDevice& device) : Allocator(device.spec()), device_(device), memory_(settings().memory) {}

SimAllocator::~SimAllocator() { trim(); }

std::byte* SimAllocator::alias(const char* op, const std::byte* data, std::size_t nbytes) const {
  if (std::byte* there = memory_.alias(data, nbytes)) [[likely]]
    return there;
  throw DeviceError(std::string(op) + ": an address that is not memory of " + device(), device());
}

void SimAllocator::give_back(const Ranges& ranges) noexcept {
  for (auto [data, nbytes] : ranges) memory_.give_back(data, nbytes);
}

std::byte* SimAllocator::raw_alloc(std::size_t nbytes) noexcept {
  Ranges retired;
  {
    std::lock_guard lock(mutex_);
    // Idle after they were freed: nothing is under way that was queued before.
    if (!retired_.empty() && device_.idle()) retired.swap(retired_);
  }
  give_back(retired);
  return memory_.take(nbytes);
}

void SimAllocator::raw_free(std::byte* data, std::size_t nbytes) noexcept {
  if (device_.idle()) return memory_.give_back(data, nbytes);
  std::lock_guard lock(mutex_);
  try {
    retired_.emplace_back(data, nbytes);
  } catch (const std::bad_alloc&) {  // better lost than written over
  }
}

std::int64_t SimAllocator::free_raw() const noexcept {
  std::int64_t nbytes = memory_.free_nbytes();
  std::lock_guard lock(mutex_);
  for (auto& range : retired_) nbytes += static_cast<std::int64_t>(range.second);
  return nbytes;
}

void SimAllocator::reclaim() {
  Ranges retired;
  {
    std::lock_guard lock(mutex_);
    retired.swap(retired_);
  }
  if (retired.empty()) return;
  try {
    device_.drain();
  } catch (...) {  // interrupted: what was under way still is
    std::lock_guard lock(mutex_);
    retired_.insert(retired_.end(), retired.begin(), retired.end());
    throw;
  }
  give_back(retired);
}

void SimAllocator::before_allocate(std::size_t nbytes) {
  if (operation_finds_device_lost(device_.index())) throw DeviceError("allocate: " + device() + " is lost", device());
  if (allocation_fails(device_.index())) out_of_memory(nbytes, " (a fault that was asked for)");
}

}  // namespace crossdock::sim
