// Memory of one simulated device: addresses that the host cannot touch, and the same places where workers can.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "crossdock/runtime/at_fork.h"

namespace crossdock::sim {

// Two reservations, side by side and of one size: the public one is never accessible (a touch is a fault), the alias is
// readable and writable. A public address plus the size is its alias, so that nothing has to be looked up. Made at the
// first use; pages come as they are written.
class Memory {
 public:
  explicit Memory(std::int64_t size) noexcept;  // less is there when the system refuses that many addresses
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* take(std::size_t nbytes) noexcept;  // a public address, aligned to 64 bytes; null when there is no room
  void give_back(std::byte* data, std::size_t nbytes) noexcept;
  // Null when [data, data + nbytes) is not all public addresses of this memory.
  std::byte* alias(const std::byte* data, std::size_t nbytes) const noexcept;
  std::int64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::int64_t free_nbytes() const noexcept { return size() - taken_.load(std::memory_order_relaxed); }

 private:
  bool reserve() noexcept;

  std::atomic<std::int64_t> size_;
  std::atomic<std::int64_t> taken_{0};
  std::atomic<std::byte*> public_{nullptr};  // owned, together with the alias behind it
  std::size_t reserved_ = 0;                 // size_ in whole pages: the way to the alias
  std::map<std::size_t, std::size_t> free_;  // offset and length of each free range, neighbours merged
  ForkMutex mutex_;
};

}  // namespace crossdock::sim
