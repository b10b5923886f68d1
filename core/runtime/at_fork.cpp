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

std::atomic<int> forks_pending{0};

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

void before_fork() {
  using Clock = std::chrono::steady_clock;
  forks_pending.fetch_add(1);
  auto deadline = Clock::now() + std::chrono::seconds(1);
  for (;;) {
    registry().mutex.lock();
    if (hold_all(Clock::now() < deadline)) return;  // the registry stays locked until after the fork
    registry().mutex.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void after_fork_in_parent() {
  for (auto* one : registry().all) one->handlers().release();
  registry().mutex.unlock();
  forks_pending.fetch_sub(1);
}

void after_fork_in_child() {
  for (auto* one : registry().all) one->handlers().restart();
  registry().mutex.unlock();
  forks_pending.store(0);
}

[[maybe_unused]] const int installed =
    (registry(), pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child));

}  // namespace

AtFork::AtFork(Handlers handlers) : handlers_(std::move(handlers)) {
  std::lock_guard lock(registry().mutex);
  registry().all.push_back(this);
}

AtFork::~AtFork() {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().all, this);
}

bool AtFork::pending() noexcept { return forks_pending.load(std::memory_order_relaxed) > 0; }

}  // namespace crossdock
