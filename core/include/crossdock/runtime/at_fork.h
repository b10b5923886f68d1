// AtFork: what a fork must not cut in two. ForkMutex: a mutex that is free, and what it guards whole, in a forked
// child.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

namespace crossdock {

// Keep it as the last member: a fork in another thread may call the handlers as soon as it is made.
class AtFork {
 public:
  struct Handlers {
    // Before the fork: take what the child must find whole. False: not now; asked again soon, after the others were
    // released. `patient` is false when a second was waited in vain: then only a lock may still be a reason to refuse.
    std::function<bool(bool patient)> hold;
    std::function<void()> release;  // in the parent, and when another one refused
    std::function<void()> restart;  // in the child, where only the forking thread is left
  };
  explicit AtFork(Handlers handlers);
  ~AtFork();
  AtFork(const AtFork&) = delete;
  AtFork& operator=(const AtFork&) = delete;
  const Handlers& handlers() const noexcept { return handlers_; }

  // Another thread is about to fork: do not start anything long.
  static bool pending() noexcept { return pending_.load(std::memory_order_relaxed) > 0; }
  // Lets the fork have its turn, but does not wait for it: the caller may hold what it wants.
  static void give_way() noexcept;

 private:
  friend struct ForkHandlers;
  static std::atomic<int> pending_;
  Handlers handlers_;
};

class ForkMutex {
 public:
  void lock() {
    if (AtFork::pending()) [[unlikely]]
      AtFork::give_way();
    mutex_.lock();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  AtFork at_fork_{
      {[this](bool) { return mutex_.try_lock(); }, [this] { mutex_.unlock(); }, [this] { mutex_.unlock(); }}};
};

}  // namespace crossdock
