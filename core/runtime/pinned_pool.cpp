#include "crossdock/runtime/pinned_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/interrupt.h"

namespace crossdock {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kDefaultLimit = std::int64_t{256} << 20;

class PlainHostMemory final : public PinnedMemory {
 public:
  std::byte* take(std::size_t nbytes) noexcept override {
    return static_cast<std::byte*>(std::aligned_alloc(kPage, nbytes));
  }
  void give_back(std::byte* data, std::size_t) noexcept override { std::free(data); }
};

// Powers of two for blocks that are asked for again and again; large arrays waste no more than a page.
std::size_t set_aside(std::size_t nbytes) noexcept {
  const std::size_t pages = (std::max<std::size_t>(nbytes, 1) + kPage - 1) / kPage * kPage;
  return pages <= PinnedPool::kChunk ? std::bit_ceil(pages) : pages;
}

int class_of(std::size_t nbytes) noexcept { return std::bit_width(nbytes) - 1; }

}  // namespace

std::unique_ptr<PinnedMemory> plain_host_memory() { return std::make_unique<PlainHostMemory>(); }

PinnedBlock::~PinnedBlock() { pool_.put_back(data_, nbytes_, kind_); }

PinnedPool::PinnedPool(std::unique_ptr<PinnedMemory> memory)
    : memory_(std::move(memory)),
      limit_(kDefaultLimit),
      at_fork_({[](bool) { return true; }, [] {},
                [this] {
                  returned_.restart_in_child();
                  lost_ = staging_;
                }}) {}

PinnedPool::~PinnedPool() { free_all_blocks(); }

bool PinnedPool::has_room(std::int64_t nbytes, Kind kind) const noexcept {
  const std::int64_t used = staging_ - lost_ + for_arrays_;
  // Beside the arrays, staging has its reserve whether it uses it now or not.
  if (kind == Kind::array) return for_arrays_ + nbytes + std::max(staging_ - lost_, kReserve) <= limit_;
  return used + nbytes <= limit_;
}

void PinnedPool::make_room(std::int64_t nbytes) noexcept {
  for (int i = kClasses - 1; i >= 0; --i) {
    auto& blocks = unused_[static_cast<std::size_t>(i)];
    while (!blocks.empty() && staging_ - lost_ + for_arrays_ + pooled_ + nbytes > limit_) {
      memory_->give_back(blocks.back(), std::size_t{1} << i);
      blocks.pop_back();
      pooled_ -= std::int64_t{1} << i;
    }
  }
}

// Under the lock. Null when there is no room, or no memory.
std::shared_ptr<PinnedBlock> PinnedPool::find(std::size_t nbytes, Kind kind) {
  const std::size_t capacity = set_aside(nbytes);
  const auto counted = static_cast<std::int64_t>(capacity);
  if (!has_room(counted, kind)) return nullptr;
  std::byte* data = nullptr;
  auto& blocks = unused_[static_cast<std::size_t>(class_of(capacity))];
  const bool reused = capacity <= kChunk && !blocks.empty();
  if (reused) {
    data = blocks.back();
    blocks.pop_back();
    pooled_ -= counted;
  } else {
    make_room(counted);
    data = memory_->take(capacity);
  }
  if (!data) return nullptr;
  (kind == Kind::array ? for_arrays_ : staging_) += counted;
  high_water_ = std::max(high_water_, staging_ + for_arrays_ + pooled_);
  try {
    if (kind == Kind::array) {
      arrays_.emplace(data, capacity);
      narrays_.fetch_add(1, std::memory_order_relaxed);
    }
    return std::make_shared<PinnedBlock>(*this, data, capacity, kind);
  } catch (const std::bad_alloc&) {
    if (kind == Kind::array && arrays_.erase(data)) narrays_.fetch_sub(1, std::memory_order_relaxed);
    (kind == Kind::array ? for_arrays_ : staging_) -= counted;
    memory_->give_back(data, capacity);
    return nullptr;
  }
}

std::shared_ptr<PinnedBlock> PinnedPool::take(std::size_t nbytes) {
  for (;;) {
    const std::uint32_t seen = returned_.seen();
    {
      std::lock_guard lock(mutex_);
      if (auto block = find(nbytes, Kind::staging)) return block;
      if (has_room(static_cast<std::int64_t>(set_aside(nbytes)), Kind::staging) || staging_ == lost_) break;
    }
    returned_.wait(seen, kInterruptSlice);
    check_interrupt();
  }
  refuse(nbytes);
}

std::shared_ptr<PinnedBlock> PinnedPool::try_take(std::size_t nbytes) {
  std::lock_guard lock(mutex_);
  return find(nbytes, Kind::staging);
}

std::shared_ptr<PinnedBlock> PinnedPool::take_for_array(std::size_t nbytes) {
  if (nbytes <= static_cast<std::size_t>(INT64_MAX) / 2) {
    std::lock_guard lock(mutex_);
    if (auto block = find(nbytes, Kind::array)) return block;
  }
  refuse(nbytes);
}

bool PinnedPool::holds(const std::byte* data, std::size_t nbytes) const noexcept {
  if (!has_arrays()) return false;
  std::lock_guard lock(mutex_);
  auto after = arrays_.upper_bound(data);
  if (after == arrays_.begin()) return false;
  auto [start, length] = *--after;
  const auto offset = static_cast<std::size_t>(data - start);
  return offset <= length && nbytes <= length - offset;
}

void PinnedPool::put_back(std::byte* data, std::size_t nbytes, Kind kind) noexcept {
  const auto counted = static_cast<std::int64_t>(nbytes);
  bool kept = false;
  {
    std::lock_guard lock(mutex_);
    if (kind == Kind::array) {
      for_arrays_ -= counted;
      narrays_.fetch_sub(static_cast<int>(arrays_.erase(data)), std::memory_order_relaxed);
    } else {
      staging_ -= counted;
      lost_ = std::min(lost_, staging_);
    }
    const bool fits = staging_ - lost_ + for_arrays_ + pooled_ + counted <= limit_;
    if (nbytes <= kChunk && fits) {
      try {
        unused_[static_cast<std::size_t>(class_of(nbytes))].push_back(data);
        pooled_ += counted;
        kept = true;
      } catch (const std::bad_alloc&) {  // no room to remember it
      }
    }
  }
  if (!kept) memory_->give_back(data, nbytes);
  returned_.beat();
}

void PinnedPool::free_locked() noexcept {
  for (int i = 0; i < kClasses; ++i) {
    auto& blocks = unused_[static_cast<std::size_t>(i)];
    for (std::byte* data : blocks) memory_->give_back(data, std::size_t{1} << i);
    std::vector<std::byte*>().swap(blocks);
  }
  pooled_ = 0;
}

void PinnedPool::free_all_blocks() noexcept {
  std::lock_guard lock(mutex_);
  free_locked();
}

void PinnedPool::set_limit(std::int64_t nbytes) {
  if (nbytes < kReserve)
    throw ValueError("set_limit: a limit must be at least " + std::to_string(kReserve) +
                     " bytes, two chunks of a staged copy, not " + std::to_string(nbytes));
  {
    std::lock_guard lock(mutex_);
    limit_ = nbytes;
    make_room(0);
  }
  returned_.beat();
}

PinnedStatistics PinnedPool::statistics() const {
  std::lock_guard lock(mutex_);
  return {staging_ - lost_ + for_arrays_, pooled_, high_water_, limit_};
}

void PinnedPool::refuse(std::size_t nbytes) const {
  const auto now = statistics();
  const std::int64_t free = std::max<std::int64_t>(now.limit - now.used - now.pooled, 0);
  throw OutOfMemoryError("out of pinned host memory: " + std::to_string(nbytes) + " bytes requested, " +
                             std::to_string(now.used) + " in use, " + std::to_string(now.pooled) + " pooled, limit " +
                             std::to_string(now.limit) + ", of which " + std::to_string(kReserve) +
                             " are kept for copies",
                         "host", static_cast<std::int64_t>(nbytes), free, now.pooled);
}

}  // namespace crossdock
