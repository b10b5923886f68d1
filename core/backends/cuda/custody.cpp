#include "custody.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "crossdock/runtime/worker_thread.h"
#include "current.h"
#include "device.h"

namespace crossdock::cuda {

bool Custody::ensure_watcher() noexcept {
  std::lock_guard lock(mutex_);
  if (!watched_) watched_ = start_worker("crossdock-cuda", [this] { watch(); });
  return watched_;
}

void Custody::hold(StreamHandle stream, std::shared_ptr<const void> what) {
  if (!what) return;
  Held held{Recorded(device_, stream), std::move(what)};
  if (!ensure_watcher()) {
    device_.driver().event_synchronize(held.over.handle());
    return;
  }
  {
    std::lock_guard lock(mutex_);
    held_.push_back(std::move(held));
  }
  added_.beat();
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
      }
    }
    if (!first) {
      added_.wait(seen, std::chrono::milliseconds(1000));
      continue;
    }
    if (Current current(device_, std::nothrow); current) device_.driver().event_synchronize(first->over.handle());
  }
}

}  // namespace crossdock::cuda
