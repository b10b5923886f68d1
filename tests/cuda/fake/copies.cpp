#include "copies.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <mutex>

namespace fake {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::atomic<bool> watched{false};
std::atomic<std::uint32_t> correlations{0};

}  // namespace

struct NotedCopy {
  Copy copy;
  std::mutex mutex;
};

namespace {

// Never freed: streams may outlive static objects.
struct Log {
  std::mutex mutex;
  std::deque<std::shared_ptr<NotedCopy>> entries;
};

Log& all() {
  static Log* one = new Log;
  return *one;
}

}  // namespace

CopyNote::CopyNote(const Copy& facts) {
  if (!watched) return;
  entry_ = std::make_shared<NotedCopy>();
  entry_->copy = facts;
  entry_->copy.thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
  entry_->copy.correlation = ++correlations;
  entry_->copy.called_ns = now_ns();
  std::lock_guard lock(all().mutex);
  all().entries.push_back(entry_);
}

void CopyNote::starts() const {
  if (!entry_) return;
  std::lock_guard lock(entry_->mutex);
  entry_->copy.start_ns = now_ns();
}

void CopyNote::ends() const {
  if (!entry_) return;
  std::lock_guard lock(entry_->mutex);
  entry_->copy.end_ns = now_ns();
}

void CopyNote::returns() const {
  if (!entry_) return;
  std::lock_guard lock(entry_->mutex);
  entry_->copy.returned_ns = now_ns();
}

void watch_copies(bool on) { watched = on; }

bool next_copy(Copy& out, bool forced) {
  std::lock_guard lock(all().mutex);
  for (auto it = all().entries.begin(); it != all().entries.end(); ++it) {
    const std::shared_ptr<NotedCopy> entry = *it;
    std::lock_guard inner(entry->mutex);
    if (!entry->copy.end_ns && !forced) continue;
    out = entry->copy;
    all().entries.erase(it);
    return true;
  }
  return false;
}

}  // namespace fake
