// AtFork: what a fork must not cut in two. ForkMutex: a mutex that is free, and what it guards whole, in a forked
// child.
#pragma once

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
  static bool pending() noexcept;

 private:
  Handlers handlers_;
};

class ForkMutex {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  AtFork at_fork_{
      {[this](bool) { return mutex_.try_lock(); }, [this] { mutex_.unlock(); }, [this] { mutex_.unlock(); }}};
};

}  // namespace crossdock
