// Allocator: memory of one device, cached for reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/memory_info.h"

namespace crossdock {

class Stream;

// A piece of device memory. `stream` is the stream that used it last: the block is reused on that stream without
// waiting, since streams are in order; on another one only after that stream was synchronised.
struct Block {
  std::byte* data = nullptr;
  std::size_t capacity = 0;   // what the allocator set aside
  std::size_t requested = 0;  // what was asked for
  Stream* stream = nullptr;
};

// The caching base. A back-end gives raw_alloc and raw_free; statistics, limit, reuse and trim are the same for all.
// Thread-safe. Blocks are aligned to 64 bytes; a request of 0 bytes gives a valid unique block.
class Allocator {
 public:
  explicit Allocator(std::string device);
  virtual ~Allocator();  // a back-end's own destructor calls trim(), while its raw_free still exists
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // OutOfMemoryError with sizes requested, free and pooled, after a trim and a second try.
  Block allocate(std::size_t nbytes, Stream* stream);
  void release(const Block& block) noexcept;
  void trim() noexcept;                        // gives cached blocks back to the device
  void forget(const Stream& stream) noexcept;  // it has ended: what it cached may serve any stream
  void set_limit(std::int64_t nbytes);         // used + pooled never exceed it; 0: no limit; ValueError if negative
  MemoryInfo memory_info() const;

 protected:
  virtual std::byte* raw_alloc(std::size_t nbytes) noexcept = 0;  // null when the device has no room
  virtual void raw_free(std::byte* data, std::size_t nbytes) noexcept = 0;
  virtual std::int64_t total() const noexcept = 0;
  virtual std::int64_t free_raw() const noexcept = 0;      // what raw_alloc can still give
  virtual std::size_t max_pooled() const noexcept = 0;     // more than this is given back at once
  virtual void before_allocate(std::size_t /*nbytes*/) {}  // a place to refuse (fault injection)
  // Where another library's pool gives the memory at present; called without a lock, since it may wait for one that a
  // caller of this allocator holds. Empty: none does; null: it has no room.
  virtual std::optional<std::byte*> borrow(std::size_t /*nbytes*/) { return std::nullopt; }
  virtual bool give_back_borrowed(std::byte* /*data*/, std::size_t /*nbytes*/) noexcept { return false; }  // false: own
  virtual void reclaim() {}  // before the second try, unlocked: waits for work that still uses memory given to raw_free
  // What OutOfMemoryError says and carries; `note` ends the message.
  [[noreturn]] void out_of_memory(std::size_t nbytes, const std::string& note = {}) const;

  const std::string& device() const noexcept { return device_; }

 private:
  class Cache;  // the unused blocks of one stream
  Cache& cache(Stream* stream);
  Block take(std::size_t nbytes, Stream* stream, bool exact);
  bool fits(std::size_t nbytes) const noexcept;
  MemoryInfo info_locked() const noexcept;
  void trim_locked() noexcept;

  std::string device_;
  std::vector<std::unique_ptr<Cache>> caches_;  // few: one per stream in use, the first for no stream in particular
  std::int64_t used_ = 0, pooled_ = 0, limit_ = 0;
  mutable ForkMutex mutex_;
};

}  // namespace crossdock
