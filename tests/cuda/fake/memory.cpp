#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "faults.h"

namespace fake {
namespace {

constexpr int kNew = 0xFF, kTail = 0xA7;
constexpr std::size_t kPoisoned = std::size_t{16} << 20;  // at each end; all of a large block would cost its pages

std::size_t page() {
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t in_pages(std::size_t nbytes) { return (nbytes + page() - 1) / page() * page(); }

// Large blocks are of huge pages where the system has them: access to them is given and taken sooner.
constexpr std::size_t kHuge = std::size_t{2} << 20;

std::byte* aligned(std::byte* at, std::size_t nbytes) {
  if (nbytes < kHuge) return at;
  return at + (kHuge - reinterpret_cast<std::uintptr_t>(at) % kHuge) % kHuge;
}

}  // namespace

Memory::Memory(std::int64_t size) : size_(size), reserved_(in_pages(static_cast<std::size_t>(size)) * 4 + (64 << 20)) {
  void* got = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  begin_ = static_cast<std::byte*>(got);
  if (got == MAP_FAILED) begin_ = nullptr, reserved_ = 0;
  if (begin_) madvise(begin_, reserved_, MADV_HUGEPAGE);
}

std::byte* Memory::take(std::size_t nbytes, bool stream_ordered) {
  std::lock_guard lock(mutex_);
  const std::size_t whole = in_pages(nbytes), room = whole + page();
  if (nbytes > static_cast<std::size_t>(size_) || taken_ + static_cast<std::int64_t>(whole) > size_) return nullptr;
  for (int round = 0; round < 2; ++round) {
    std::byte* at = aligned(begin_ + cursor_, whole);
    for (auto next = blocks_.lower_bound(at); next != blocks_.end(); ++next) {
      if (next->first >= at + room) break;
      at = aligned(next->first + in_pages(next->second.nbytes) + page(), whole);
    }
    if (at + room <= begin_ + reserved_) {
      Block block{at, nbytes, stream_ordered};
      mprotect(at, whole, PROT_READ | PROT_WRITE);
      std::memset(at, kNew, std::min(nbytes, kPoisoned));
      if (nbytes > kPoisoned) {
        const std::size_t last = std::min(nbytes - kPoisoned, kPoisoned);
        std::memset(at + nbytes - last, kNew, last);
      }
      std::memset(at + nbytes, kTail, whole - nbytes);
      if (!accessible_) mprotect(at, whole, PROT_NONE);
      blocks_.emplace(at, block);
      taken_ += static_cast<std::int64_t>(whole);
      cursor_ = static_cast<std::size_t>(at + room - begin_);
      count("allocations"), count("live_allocations"), count("live_bytes", static_cast<std::int64_t>(nbytes));
      return at;
    }
    cursor_ = 0;
  }
  return nullptr;
}

void Memory::check_tail(const Block& block) const {
  const std::size_t whole = in_pages(block.nbytes);
  if (!accessible_) mprotect(block.data, whole, PROT_READ);
  for (std::size_t i = block.nbytes; i < whole; ++i)
    if (block.data[i] != std::byte{kTail}) {
      count("overruns");
      say("something wrote " + std::to_string(i - block.nbytes + 1) + " bytes past the end of an allocation of " +
          std::to_string(block.nbytes) + " bytes");
      break;
    }
}

bool Memory::give_back(std::byte* data) {
  std::lock_guard lock(mutex_);
  auto found = blocks_.find(data);
  if (found == blocks_.end()) return false;
  const Block block = found->second;
  const std::size_t whole = in_pages(block.nbytes);
  check_tail(block);
  madvise(block.data, whole, MADV_DONTNEED);
  mprotect(block.data, whole, PROT_NONE);
  blocks_.erase(found);
  taken_ -= static_cast<std::int64_t>(whole);
  count("frees"), count("live_allocations", -1), count("live_bytes", -static_cast<std::int64_t>(block.nbytes));
  return true;
}

void Memory::give_back_all() {
  for (;;) {
    std::byte* first;
    {
      std::lock_guard lock(mutex_);
      if (blocks_.empty()) return;
      first = blocks_.begin()->first;
    }
    give_back(first);
  }
}

std::optional<Block> Memory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  auto* at = static_cast<std::byte*>(const_cast<void*>(address));
  auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(next)->second;
  if (at >= block.data + block.nbytes) return std::nullopt;
  return block;
}

std::int64_t Memory::free_nbytes() const {
  std::lock_guard lock(mutex_);
  return size_ - taken_;
}

void Memory::protect_all(int protection) {
  for (auto& [data, block] : blocks_) mprotect(data, in_pages(block.nbytes), protection);
}

void Memory::open() {
  std::lock_guard lock(mutex_);
  ++opened_;
  if (!accessible_) protect_all(PROT_READ | PROT_WRITE);
  accessible_ = true;
}

void Memory::close() {
  std::lock_guard lock(mutex_);
  --opened_;
}

void Memory::close_for_good() {
  std::lock_guard lock(mutex_);
  if (opened_ || !accessible_) return;
  protect_all(PROT_NONE);
  accessible_ = false;
}

}  // namespace fake
