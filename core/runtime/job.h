// Job: one parallel_for under way. Threads join it, claim pieces until none is left, and leave.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

namespace crossdock {

using JobBody = void (*)(void* context, std::int64_t begin, std::int64_t end);

// Lives in a fixed slot of the pool, so that a late worker may look at it at any time; only one that has joined reads
// more than the state.
class Job {
 public:
  static constexpr int kMaxLanes = 64;

  // False when another caller has the slot.
  bool take() noexcept {
    std::uint32_t free = 0;
    return state_.load(std::memory_order_relaxed) == 0 &&
           state_.compare_exchange_strong(free, kTaken, std::memory_order_acquire);
  }
  // By its taker. `piece` items at a time, `threads` >= 2 threads at most.
  void open(std::int64_t size, std::int64_t piece, int threads, JobBody body, void* context) noexcept;
  // By a worker: true when it may help; then run() and leave().
  bool join() noexcept;
  bool wants_more() const noexcept { return joinable(state_.load(std::memory_order_relaxed)); }
  // Does unclaimed pieces, those of `lane` first.
  void run(int lane) noexcept;
  void leave() noexcept;
  // By its taker: waits for the helpers, frees the slot, and gives the first exception of a body, if any.
  std::exception_ptr close() noexcept;

 private:
  // Each thread starts in a lane of its own: a repeated operation finds its part in the same core's cache again.
  struct alignas(64) Lane {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };

  static constexpr std::uint32_t kTaken = 1u << 31, kOpen = 1u << 30;
  static constexpr std::uint32_t kHelper = 1, kHelpersMask = 0x3ff;  // threads inside, besides the taker
  static constexpr int kLimitShift = 10;                             // and how many may be, in the next ten bits
  static std::uint32_t helpers(std::uint32_t state) noexcept { return state & kHelpersMask; }
  static bool joinable(std::uint32_t state) noexcept {
    return (state & kOpen) && helpers(state) < ((state >> kLimitShift) & kHelpersMask);
  }
  bool run_piece(Lane& lane) noexcept;

  alignas(64) std::atomic<std::uint32_t> state_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // by the thread that set `failed_`
  JobBody body_ = nullptr;
  void* context_ = nullptr;
  std::int64_t piece_ = 1;
  int nlanes_ = 0;
  Lane lanes_[kMaxLanes];
};

}  // namespace crossdock
