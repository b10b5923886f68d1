#include "crossdock/runtime/at_fork.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace crossdock {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<AtFork*> all;
};

// Never freed: objects of static storage leave it late.
Registry& registry() {
  static Registry* one = new Registry;
  return *one;
}

// All or none. No order of locks is needed, since nothing is waited for while something is held.
bool hold_all(bool patient) {
  auto& all = registry().all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->handlers().hold(patient)) continue;
    while (i-- > 0) all[i]->handlers().release();
    return false;
  }
  return true;
}

}  // namespace

struct ForkHandlers {
  static void prepare() {
    using Clock = std::chrono::steady_clock;
    AtFork::pending_.fetch_add(1);
    auto deadline = Clock::now() + std::chrono::seconds(1);
    for (;;) {
      registry().mutex.lock();
      if (hold_all(Clock::now() < deadline)) return;  // the registry stays locked until after the fork
      registry().mutex.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
  static void parent() {
    for (auto* one : registry().all) one->handlers().release();
    registry().mutex.unlock();
    AtFork::pending_.fetch_sub(1);
  }
  static void child() {
    for (auto* one : registry().all) one->handlers().restart();
    registry().mutex.unlock();
    AtFork::pending_.store(0);
  }
};

namespace {

[[maybe_unused]] const int installed =
    (registry(), pthread_atfork(ForkHandlers::prepare, ForkHandlers::parent, ForkHandlers::child));

}  // namespace

AtFork::AtFork(Handlers handlers) : handlers_(std::move(handlers)) {
  std::lock_guard lock(registry().mutex);
  registry().all.push_back(this);
}

AtFork::~AtFork() {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().all, this);
}

std::atomic<int> AtFork::pending_{0};

void AtFork::give_way() noexcept { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

}  // namespace crossdock
