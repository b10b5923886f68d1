// PlanCache: the plans of the lengths that were used last. Thread-safe, and free in a forked child.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "crossdock/runtime/at_fork.h"

namespace crossdock::native {

template <class Plan>
class PlanCache {
 public:
  static constexpr std::size_t kMost = 32;
  static constexpr std::int64_t kMostBytes = std::int64_t{32} << 20;  // but for the last one

  std::shared_ptr<const Plan> get(std::int64_t n) {
    {
      const std::lock_guard lock(mutex_);
      const auto found =
          std::find_if(plans_.begin(), plans_.end(), [n](const auto& plan) { return plan->length() == n; });
      if (found != plans_.end()) {
        plans_.splice(plans_.begin(), plans_, found);
        return plans_.front();
      }
    }
    auto plan = std::make_shared<const Plan>(n);  // two threads may both make one
    std::list<std::shared_ptr<const Plan>> old;   // freed after the lock
    const std::lock_guard lock(mutex_);
    plans_.push_front(plan);
    nbytes_ += plan->nbytes();
    while (plans_.size() > kMost || (nbytes_ > kMostBytes && plans_.size() > 1)) {
      nbytes_ -= plans_.back()->nbytes();
      old.splice(old.begin(), plans_, std::prev(plans_.end()));
    }
    return plan;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

 private:
  std::list<std::shared_ptr<const Plan>> plans_;
  std::int64_t nbytes_ = 0;
  mutable ForkMutex mutex_;
};

template <class Plan>
std::shared_ptr<const Plan> cached_plan(std::int64_t n) {
  static auto* cache = new PlanCache<Plan>;  // never destroyed: threads may still transform
  return cache->get(n);
}

}  // namespace crossdock::native
