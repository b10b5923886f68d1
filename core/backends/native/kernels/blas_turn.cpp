#include "blas_turn.h"

#include <atomic>

#include "crossdock/runtime/at_fork.h"

namespace crossdock::native {

namespace {

constexpr int kMost = 64;  // as scipy-openblas is built
std::atomic<int> left{kMost};

// Threads that had a turn are not in the child.
[[maybe_unused]] const AtFork all_left_in_child{{[](bool) { return true; }, [] {}, [] { left.store(kMost); }}};

}  // namespace

BlasTurn::BlasTurn() noexcept {
  int now = left.load(std::memory_order_relaxed);
  for (;;) {
    if (now <= 0) {
      left.wait(now, std::memory_order_relaxed);
      now = left.load(std::memory_order_relaxed);
    } else if (left.compare_exchange_weak(now, now - 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      return;
    }
  }
}

BlasTurn::~BlasTurn() {
  left.fetch_add(1, std::memory_order_release);
  left.notify_one();
}

}  // namespace crossdock::native
