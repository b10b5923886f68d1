#include "crossdock/runtime/thread_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/environment.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/spin.h"
#include "crossdock/runtime/worker_thread.h"
#include "job.h"

namespace crossdock {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kJobs = 8;             // callers at a time that get help; one more works alone
constexpr int kPiecesPerThread = 4;  // so that a thread that was held up leaves little to wait for
constexpr auto kSpin = std::chrono::microseconds(8);

thread_local bool inside = false;

int available_cpus() noexcept {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int default_threads() noexcept {
  for (const char* variable : {"CROSSDOCK_NUM_THREADS", "OMP_NUM_THREADS"})
    if (auto count = positive_integer(variable, kMaxThreads)) return static_cast<int>(*count);
  return std::min(available_cpus(), kMaxThreads);
}

std::atomic<int> chosen_threads{0};

class Pool {
 public:
  void run(std::int64_t size, std::int64_t piece, int threads, JobBody body, void* context) {
    Job* job = take_job();
    if (!job) return body(context, 0, size);
    job->open(size, piece, threads, body, context);
    ensure_workers(threads - 1);
    wake();
    job->run(0);
    if (auto error = job->close()) std::rethrow_exception(error);
  }

 private:
  Job* take_job() noexcept {
    for (auto& job : jobs_)
      if (job.take()) return &job;
    return nullptr;
  }

  void ensure_workers(int count) noexcept {
    if (workers_.load(std::memory_order_acquire) >= count) return;
    std::lock_guard lock(growing_);
    for (int id = workers_.load(std::memory_order_relaxed); id < count; ++id) {
      if (!start_worker("crossdock-pool", [this, id] { work(id); })) break;  // fewer threads do it too
      workers_.store(id + 1, std::memory_order_release);
    }
  }

  // Two only; those who come wake the next two. The caller has work of its own to do.
  void wake() noexcept {
    epoch_.fetch_add(1);
    wake_sleepers();
  }
  void wake_sleepers() noexcept {
    int sleepers = sleepers_.load();
    for (int i = 0; i < std::min(sleepers, 2); ++i) epoch_.notify_one();
  }

  void work(int id) noexcept {
    inside = true;
    for (;;) {
      std::uint32_t seen = epoch_.load();
      if (help(id)) continue;
      if (spin_until(kSpin, [&] { return epoch_.load(std::memory_order_relaxed) != seen; })) continue;
      sleepers_.fetch_add(1);  // before the last look at the epoch (in wait): no wake-up is lost
      epoch_.wait(seen);
      sleepers_.fetch_sub(1);
    }
  }

  bool help(int id) noexcept {
    for (auto& job : jobs_) {
      if (!job.join()) continue;
      if (job.wants_more()) wake_sleepers();
      job.run(id + 1);
      job.leave();
      return true;
    }
    return false;
  }

  Job jobs_[kJobs];
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  std::atomic<int> sleepers_{0};
  alignas(64) std::atomic<int> workers_{0};
  std::mutex growing_;
};

// Never freed: workers sleep in it until the process ends. A child has no workers; it leaves the parent's pool, jobs of
// other threads included, behind and makes its own.
std::atomic<Pool*> current_pool{nullptr};

[[maybe_unused]] const AtFork forget_pool_in_child{
    {[](bool) { return true; }, [] {}, [] { current_pool.store(nullptr, std::memory_order_relaxed); }}};

Pool& pool() {
  if (Pool* pool = current_pool.load(std::memory_order_acquire)) return *pool;
  static_assert(std::atomic<Pool*>::is_always_lock_free);
  auto* made = new Pool;
  Pool* expected = nullptr;
  if (current_pool.compare_exchange_strong(expected, made, std::memory_order_acq_rel)) return *made;
  delete made;  // no thread has started in it
  return *expected;
}

struct Inside {
  Inside() noexcept { inside = true; }
  ~Inside() { inside = false; }
};

// Starts of pieces on multiples of 64 items: vector loads do not straddle cache lines, threads share none.
std::int64_t piece_size(std::int64_t size, std::int64_t grain, int threads) noexcept {
  std::int64_t pieces = std::clamp<std::int64_t>(size / grain, 1, std::int64_t{threads} * kPiecesPerThread);
  std::int64_t piece = (size - 1) / pieces + 1;
  return piece >= 256 ? (piece - 1) / 64 * 64 + 64 : piece;
}

}  // namespace

int num_threads() noexcept {
  if (int count = chosen_threads.load(std::memory_order_relaxed)) return count;
  int none = 0, count = default_threads();
  chosen_threads.compare_exchange_strong(none, count);
  return none ? none : count;
}

void set_num_threads(int count) {
  if (count < 1 || count > kMaxThreads)
    throw ValueError("set_num_threads: count must be between 1 and " + std::to_string(kMaxThreads) + ", not " +
                     std::to_string(count));
  chosen_threads.store(count);
}

namespace detail {

void parallel_for(std::int64_t size, std::int64_t grain, JobBody body, void* context) {
  if (size <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  int threads = size <= grain || inside ? 1 : num_threads();
  if (threads > 1) {
    std::int64_t piece = piece_size(size, grain, threads);
    if (piece < size) {
      Inside mark;
      return pool().run(size, piece, threads, body, context);
    }
  }
  body(context, 0, size);
}

}  // namespace detail
}  // namespace crossdock
