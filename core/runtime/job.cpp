#include "job.h"

#include <utility>

#include "crossdock/runtime/spin.h"

namespace crossdock {

void Job::open(std::int64_t size, std::int64_t piece, int threads, JobBody body, void* context) noexcept {
  body_ = body;
  context_ = context;
  piece_ = piece;
  std::int64_t pieces = (size - 1) / piece + 1;
  nlanes_ = static_cast<int>(std::min<std::int64_t>({pieces, threads, kMaxLanes}));
  for (int i = 0; i < nlanes_; ++i) {
    // By quotient and remainder: pieces * i may not fit where the caller counts single bytes of a huge array.
    auto start = [&](int lane) {
      return (pieces / nlanes_ * lane + std::min<std::int64_t>(pieces % nlanes_, lane)) * piece;
    };
    lanes_[i].end = std::min(size, i + 1 == nlanes_ ? size : start(i + 1));
    lanes_[i].next.store(start(i), std::memory_order_relaxed);
  }
  auto limit = static_cast<std::uint32_t>(std::min<std::int64_t>({pieces - 1, threads - 1, kHelpersMask}));
  state_.store(kTaken | kOpen | limit << kLimitShift, std::memory_order_release);
}

bool Job::join() noexcept {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  while (joinable(state)) {
    if (state_.compare_exchange_weak(state, state + kHelper, std::memory_order_acquire, std::memory_order_relaxed))
      return true;
  }
  return false;
}

bool Job::run_piece(Lane& lane) noexcept {
  if (lane.next.load(std::memory_order_relaxed) >= lane.end) return false;
  std::int64_t begin = lane.next.fetch_add(piece_, std::memory_order_relaxed);
  if (begin >= lane.end) return false;
  try {
    body_(context_, begin, std::min(lane.end, begin + piece_));
  } catch (...) {
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }
  return true;
}

void Job::run(int lane) noexcept {
  for (int i = 0; i < nlanes_; ++i) {
    Lane& here = lanes_[(lane + i) % nlanes_];
    while (!failed_.load(std::memory_order_relaxed) && run_piece(here)) {
    }
  }
}

void Job::leave() noexcept {
  std::uint32_t before = state_.fetch_sub(kHelper, std::memory_order_release);
  // The slot may serve the next caller by now; its address is good for a wake-up all the same.
  if (!(before & kOpen) && helpers(before) == 1) state_.notify_one();
}

std::exception_ptr Job::close() noexcept {
  state_.fetch_and(~kOpen, std::memory_order_relaxed);
  auto alone = [this] { return helpers(state_.load(std::memory_order_acquire)) == 0; };
  if (!spin_until(std::chrono::microseconds(20), alone)) {
    for (auto state = state_.load(std::memory_order_acquire); helpers(state) != 0;
         state = state_.load(std::memory_order_acquire))
      state_.wait(state, std::memory_order_acquire);
  }
  auto error = std::exchange(error_, nullptr);
  failed_.store(false, std::memory_order_relaxed);
  state_.store(0, std::memory_order_release);
  return error;
}

}  // namespace crossdock
