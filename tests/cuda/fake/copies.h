// What the driver tells of its copies while somebody watches, as a profiling library would.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace fake {

enum class MemoryKind : int { pageable = 1, pinned = 2, device = 3 };  // as CUPTI numbers them

struct Copy {
  std::int64_t nbytes;
  int device;                        // where it was queued
  int source_device, target_device;  // -1: host memory
  int source_kind, target_kind;
  std::uint64_t stream;
  std::uint32_t thread, correlation;
  int is_async;
  std::int64_t called_ns, returned_ns;  // by the wall clock
  std::int64_t start_ns, end_ns;        // 0: not yet
};

struct NotedCopy;

// A copy under way, noted if somebody watches; by several threads.
class CopyNote {
 public:
  explicit CopyNote(const Copy& facts);
  void starts() const;
  void ends() const;
  void returns() const;

 private:
  std::shared_ptr<NotedCopy> entry_;
};

void watch_copies(bool on);
// The next that is over, or with `forced` the next of all; false when there is none.
bool next_copy(Copy& out, bool forced);

}  // namespace fake
