// PinnedPool: host memory that a back-end's copies need not wait for, cached for reuse.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/pulse.h"

namespace crossdock {

// Where a pool's memory comes from: page-locked for a GPU, plain host memory where nothing is to be locked.
class PinnedMemory {
 public:
  virtual ~PinnedMemory() = default;
  virtual std::byte* take(std::size_t nbytes) noexcept = 0;  // aligned to a page; null when there is none
  virtual void give_back(std::byte* data, std::size_t nbytes) noexcept = 0;
};

std::unique_ptr<PinnedMemory> plain_host_memory();

class PinnedPool;

// A piece of a pool. Goes back when its last owner goes, which may be a copy under way.
class PinnedBlock {
 public:
  enum class Kind { staging, array };  // an array's has no end in sight
  PinnedBlock(PinnedPool& pool, std::byte* data, std::size_t nbytes, Kind kind) noexcept
      : pool_(pool), data_(data), nbytes_(nbytes), kind_(kind) {}
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t nbytes() const noexcept { return nbytes_; }  // what was set aside

 private:
  PinnedPool& pool_;
  std::byte* data_;
  std::size_t nbytes_;
  Kind kind_;
};

// In bytes.
struct PinnedStatistics {
  std::int64_t used;        // what blocks hold, as set aside
  std::int64_t pooled;      // what is kept for reuse
  std::int64_t high_water;  // the most that used and pooled have been together
  std::int64_t limit;       // what they never exceed
};

// Thread-safe; outlives its blocks. Two staging blocks of the largest kind always find room: arrays leave it alone.
class PinnedPool {
 public:
  static constexpr std::size_t kChunk = std::size_t{4} << 20;  // the largest staging block
  static constexpr std::int64_t kReserve = 2 * static_cast<std::int64_t>(kChunk);

  explicit PinnedPool(std::unique_ptr<PinnedMemory> memory);
  ~PinnedPool();

  // For a copy, at most kChunk. Waits while other copies have all (an interrupt ends that wait): who holds one asks for
  // more by try_take alone. OutOfMemoryError when the system has none.
  std::shared_ptr<PinnedBlock> take(std::size_t nbytes);
  std::shared_ptr<PinnedBlock> try_take(std::size_t nbytes);  // null when there is none now
  // For an array; any size. OutOfMemoryError.
  std::shared_ptr<PinnedBlock> take_for_array(std::size_t nbytes);
  bool has_arrays() const noexcept { return narrays_.load(std::memory_order_relaxed) > 0; }
  bool holds(const std::byte* data, std::size_t nbytes) const noexcept;  // all in one array's block

  void free_all_blocks() noexcept;      // those that are kept for reuse
  void set_limit(std::int64_t nbytes);  // ValueError below kReserve
  PinnedStatistics statistics() const;

 private:
  friend class PinnedBlock;
  static constexpr int kClasses = 64;  // by the power of two
  using Kind = PinnedBlock::Kind;
  std::shared_ptr<PinnedBlock> find(std::size_t nbytes, Kind kind);
  bool has_room(std::int64_t nbytes, Kind kind) const noexcept;
  void make_room(std::int64_t nbytes) noexcept;
  void put_back(std::byte* data, std::size_t nbytes, Kind kind) noexcept;
  void free_locked() noexcept;
  [[noreturn]] void refuse(std::size_t nbytes) const;

  std::unique_ptr<PinnedMemory> memory_;
  std::array<std::vector<std::byte*>, kClasses> unused_;
  std::map<const std::byte*, std::size_t> arrays_;  // address and length
  std::atomic<int> narrays_{0};
  std::int64_t staging_ = 0, for_arrays_ = 0, pooled_ = 0, high_water_ = 0, limit_;
  std::int64_t lost_ = 0;  // in a forked child: blocks whose owners are not here
  Pulse returned_;
  mutable ForkMutex mutex_;
  AtFork at_fork_;
};

}  // namespace crossdock
