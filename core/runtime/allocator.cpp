#include "crossdock/runtime/allocator.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "crossdock/runtime/error.h"
#include "size_class.h"

namespace crossdock {

class Allocator::Cache {
 public:
  explicit Cache(Stream* stream) noexcept : stream(stream) {}

  Stream* stream;  // compared only; null: for any stream

  Block take(int size_class) noexcept {
    auto& bin = bins_[static_cast<std::size_t>(size_class)];
    if (bin.empty()) return {};
    Block block{bin.back().data, bin.back().capacity, 0, nullptr};
    bin.pop_back();
    return block;
  }
  void put(std::byte* data, std::size_t capacity) {
    bins_[static_cast<std::size_t>(SizeClass::of_block(capacity).index)].push_back({data, capacity});
  }
  template <class Each>
  void clear(Each&& each) noexcept {
    for (auto& bin : bins_) {
      for (auto& free : bin) each(free.data, free.capacity);
      std::vector<Free>().swap(bin);
    }
  }

 private:
  struct Free {
    std::byte* data;
    std::size_t capacity;
  };
  std::array<std::vector<Free>, SizeClass::kCount> bins_;
};

Allocator::Allocator(std::string device) : device_(std::move(device)) {
  caches_.push_back(std::make_unique<Cache>(nullptr));
}

Allocator::~Allocator() = default;

Allocator::Cache& Allocator::cache(Stream* stream) {
  for (auto& one : caches_)
    if (one->stream == stream) return *one;
  caches_.push_back(std::make_unique<Cache>(stream));
  return *caches_.back();
}

bool Allocator::fits(std::size_t nbytes) const noexcept {
  return !limit_ || used_ + pooled_ + static_cast<std::int64_t>(nbytes) <= limit_;
}

// An empty block when there is none. `exact`: a new block no larger than it must be, for a device that is nearly full.
Block Allocator::take(std::size_t nbytes, Stream* stream, bool exact) {
  SizeClass wanted = SizeClass::holding(nbytes);
  Block block = cache(stream).take(wanted.index);
  if (!block.data && stream) block = caches_.front()->take(wanted.index);
  if (block.data) {
    pooled_ -= static_cast<std::int64_t>(block.capacity);
  } else if (fits(nbytes)) {
    block.capacity = exact ? (std::max<std::size_t>(nbytes, 1) + 63) / 64 * 64 : wanted.capacity;
    block.data = raw_alloc(block.capacity);
  }
  if (!block.data) return {};
  block.requested = nbytes;
  block.stream = stream;
  used_ += static_cast<std::int64_t>(nbytes);
  return block;
}

Block Allocator::allocate(std::size_t nbytes, Stream* stream) {
  before_allocate(nbytes);
  if (nbytes > SizeClass::kLargest) out_of_memory(nbytes);
  if (const auto borrowed = borrow(std::max<std::size_t>(nbytes, 1))) {
    if (!*borrowed) out_of_memory(nbytes, " (its memory comes from another library's pool)");
    std::lock_guard lock(mutex_);
    used_ += static_cast<std::int64_t>(nbytes);
    return {*borrowed, nbytes, nbytes, stream};
  }
  {
    std::lock_guard lock(mutex_);
    if (Block block = take(nbytes, stream, false); block.data) return block;
    trim_locked();
  }
  reclaim();
  {
    std::lock_guard lock(mutex_);
    for (bool exact : {false, true})
      if (Block block = take(nbytes, stream, exact); block.data) return block;
  }
  out_of_memory(nbytes);
}

void Allocator::release(const Block& block) noexcept {
  if (!block.data) return;
  if (give_back_borrowed(block.data, block.capacity)) {
    std::lock_guard lock(mutex_);
    used_ -= static_cast<std::int64_t>(block.requested);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    auto capacity = static_cast<std::int64_t>(block.capacity);
    used_ -= static_cast<std::int64_t>(block.requested);
    if (fits(block.capacity) && pooled_ + capacity <= static_cast<std::int64_t>(max_pooled())) {
      try {
        cache(block.stream).put(block.data, block.capacity);
        pooled_ += capacity;
        return;
      } catch (const std::bad_alloc&) {  // no room to remember it: give it back
      }
    }
  }
  raw_free(block.data, block.capacity);
}

void Allocator::trim_locked() noexcept {
  for (auto& one : caches_) one->clear([this](std::byte* data, std::size_t capacity) { raw_free(data, capacity); });
  pooled_ = 0;
}

void Allocator::trim() noexcept {
  std::lock_guard lock(mutex_);
  trim_locked();
}

void Allocator::forget(const Stream& stream) noexcept {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(caches_.begin(), caches_.end(), [&](auto& one) { return one->stream == &stream; });
  if (found == caches_.end()) return;
  (*found)->clear([this](std::byte* data, std::size_t capacity) {
    try {
      caches_.front()->put(data, capacity);
    } catch (const std::bad_alloc&) {
      pooled_ -= static_cast<std::int64_t>(capacity);
      raw_free(data, capacity);
    }
  });
  caches_.erase(found);
}

void Allocator::set_limit(std::int64_t nbytes) {
  if (nbytes < 0) throw ValueError("set_limit: a limit must be 0 (none) or more bytes, not " + std::to_string(nbytes));
  std::lock_guard lock(mutex_);
  limit_ = nbytes;
  if (!fits(0)) trim_locked();
}

MemoryInfo Allocator::info_locked() const noexcept {
  std::int64_t free = free_raw();
  if (limit_) free = std::min(free, limit_ - used_ - pooled_);
  return {std::max<std::int64_t>(free, 0), total(), used_, pooled_};
}

MemoryInfo Allocator::memory_info() const {
  std::lock_guard lock(mutex_);
  return info_locked();
}

void Allocator::out_of_memory(std::size_t nbytes, const std::string& note) const {
  MemoryInfo now{};
  std::int64_t limit = 0;
  {
    std::lock_guard lock(mutex_);
    now = info_locked();
    limit = limit_;
  }
  std::string message = "out of memory on " + device_ + ": " + std::to_string(nbytes) + " bytes requested, " +
                        std::to_string(now.free) + " free, " + std::to_string(now.pooled) + " pooled, " +
                        std::to_string(now.used) + " in use";
  if (limit) message += ", limit " + std::to_string(limit);
  throw OutOfMemoryError(message + note, device_, static_cast<std::int64_t>(nbytes), now.free, now.pooled);
}

}  // namespace crossdock
