// Pulse: something has changed. Threads sleep until it beats, for a time, or until a signal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace crossdock {

class Pulse {
 public:
  std::uint32_t seen() const noexcept { return beats_.load(); }
  bool has_beaten_since(std::uint32_t seen) const noexcept { return beats_.load(std::memory_order_acquire) != seen; }
  void beat() noexcept {
    beats_.fetch_add(1);
    if (sleepers_.load()) wake();
  }
  // Until it has beaten since, or earlier: after `limit`, when a signal comes, or for no reason.
  void wait(std::uint32_t seen, std::chrono::milliseconds limit) noexcept;
  void restart_in_child() noexcept { sleepers_.store(0); }  // those who slept are not here

 private:
  void wake() noexcept;

  std::atomic<std::uint32_t> beats_{0};
  std::atomic<int> sleepers_{0};  // counted before the last look at the beats: no wake-up is lost
};

}  // namespace crossdock
