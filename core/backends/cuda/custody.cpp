#include "custody.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "crossdock/runtime/interrupt.h"
#include "crossdock/runtime/worker_thread.h"
#include "current.h"
#include "device.h"

namespace crossdock::cuda {

bool Custody::ensure_watcher() noexcept {
  std::lock_guard lock(mutex_);
  if (!watched_) watched_ = start_worker("crossdock-cuda", [this] { watch(); });
  return watched_;
}

void Custody::hold(StreamHandle stream, std::shared_ptr<const void> what) noexcept {
  if (!what) return;
  try {
    if (ensure_watcher()) {
      Held held{Recorded(device_, stream), what};
      std::lock_guard lock(mutex_);
      held_.push_back(std::move(held));
      what.reset();
    }
  } catch (const std::exception&) {  // no event, or no memory
  }
  if (what)
    device_.driver().stream_synchronize(stream);
  else
    added_.beat();
}

bool Custody::is_empty() {
  std::lock_guard lock(mutex_);
  return held_.empty() && !letting_go_;
}

void Custody::wait_until_empty() {
  for (;;) {
    const auto seen = let_go_.seen();
    if (is_empty()) return;
    let_go_.wait(seen, kInterruptSlice);
    check_interrupt();
  }
}

// Asleep: the driver's own wait would keep a processor busy.
void Custody::await(const Recorded& over) noexcept {
  constexpr auto kLongest = std::chrono::microseconds(500);
  const Current current(device_, std::nothrow);
  for (auto pause = std::chrono::microseconds(20); current; pause = std::min(2 * pause, kLongest)) {
    if (device_.driver().event_query(over.handle()) != kNotReady) return;
    std::this_thread::sleep_for(pause);
  }
}

// Lives as long as the process, as the device does. Whatever becomes of a copy, also when it fails, it is over then.
void Custody::watch() noexcept {
  for (;;) {
    const auto seen = added_.seen();
    std::optional<Held> first;
    {
      std::lock_guard lock(mutex_);
      if (!held_.empty()) {
        first.emplace(std::move(held_.front()));
        held_.pop_front();
        letting_go_ = true;
      }
    }
    if (!first) {
      added_.wait(seen, std::chrono::milliseconds(1000));
      continue;
    }
    await(first->over);
    first.reset();
    {
      std::lock_guard lock(mutex_);
      letting_go_ = false;
    }
    let_go_.beat();
  }
}

}  // namespace crossdock::cuda
