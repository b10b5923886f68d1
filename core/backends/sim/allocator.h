// Memory of a simulated device, cached for reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/at_fork.h"
#include "memory.h"

namespace crossdock::sim {

class SimDevice;

class SimAllocator final : public Allocator {
 public:
  explicit SimAllocator(SimDevice& device);
  ~SimAllocator() override;

  // The worker's address of `data`; DeviceError naming `op` when that is not memory of this device.
  std::byte* alias(const char* op, const std::byte* data, std::size_t nbytes) const;

 protected:
  std::byte* raw_alloc(std::size_t nbytes) noexcept override;
  void raw_free(std::byte* data, std::size_t nbytes) noexcept override;
  std::int64_t total() const noexcept override { return memory_.size(); }
  std::int64_t free_raw() const noexcept override;
  std::size_t max_pooled() const noexcept override { return static_cast<std::size_t>(memory_.size()) / 4; }
  void before_allocate(std::size_t nbytes) override;
  void reclaim() override;

 private:
  using Ranges = std::vector<std::pair<std::byte*, std::size_t>>;
  void give_back(const Ranges& ranges) noexcept;

  SimDevice& device_;
  Memory memory_;
  Ranges retired_;  // freed while work was under way that may still use it
  mutable ForkMutex mutex_;
};

}  // namespace crossdock::sim
