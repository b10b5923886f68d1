#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

namespace crossdock::sim {
namespace {

constexpr std::size_t kGivenBackToTheSystem = 256 * 1024;  // less is not worth the call

std::size_t page_size() noexcept {
  static const auto nbytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return nbytes;
}

std::size_t round_up(std::size_t value, std::size_t unit) noexcept { return (value + unit - 1) / unit * unit; }

// Pages wholly inside [data, data + nbytes).
void drop_pages(std::byte* data, std::size_t nbytes) noexcept {
  auto address = reinterpret_cast<std::uintptr_t>(data);
  std::uintptr_t begin = round_up(address, page_size()), end = (address + nbytes) / page_size() * page_size();
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

Memory::Memory(std::int64_t size) noexcept : size_(size) {}

Memory::~Memory() {
  if (std::byte* start = public_.load()) ::munmap(start, 2 * reserved_);
}

bool Memory::reserve() noexcept {
  for (std::int64_t size = this->size(); size > 0; size /= 2) {
    std::size_t length = round_up(static_cast<std::size_t>(size), page_size());
    void* start = ::mmap(nullptr, 2 * length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) continue;
    auto* first = static_cast<std::byte*>(start);
    if (::mprotect(first + length, length, PROT_READ | PROT_WRITE) != 0) {
      ::munmap(start, 2 * length);
      continue;
    }
#ifdef MADV_HUGEPAGE
    ::madvise(first + length, length, MADV_HUGEPAGE);  // else filling a big array is mostly page faults
#endif
#ifdef MADV_DONTDUMP
    ::madvise(start, 2 * length, MADV_DONTDUMP);
#endif
    free_[0] = static_cast<std::size_t>(size);
    reserved_ = length;
    size_.store(size);
    public_.store(first, std::memory_order_release);
    return true;
  }
  return false;
}

std::byte* Memory::take(std::size_t nbytes) noexcept try {
  std::lock_guard lock(mutex_);
  if (!public_.load(std::memory_order_relaxed) && !reserve()) return nullptr;
  auto found = std::find_if(free_.begin(), free_.end(), [&](auto& range) { return range.second >= nbytes; });
  if (found == free_.end()) return nullptr;
  auto [offset, length] = *found;
  if (length > nbytes) free_.emplace_hint(std::next(found), offset + nbytes, length - nbytes);
  free_.erase(found);
  taken_ += static_cast<std::int64_t>(nbytes);
  return public_.load(std::memory_order_relaxed) + offset;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Memory::give_back(std::byte* data, std::size_t nbytes) noexcept {
  std::lock_guard lock(mutex_);
  if (nbytes >= kGivenBackToTheSystem) drop_pages(data + reserved_, nbytes);
  auto offset = static_cast<std::size_t>(data - public_.load(std::memory_order_relaxed));
  taken_ -= static_cast<std::int64_t>(nbytes);
  auto after = free_.lower_bound(offset);
  auto before = after == free_.begin() ? free_.end() : std::prev(after);
  if (after != free_.end() && offset + nbytes == after->first) {
    nbytes += after->second;
    after = free_.erase(after);
  }
  if (before != free_.end() && before->first + before->second == offset) {
    before->second += nbytes;
    return;
  }
  try {
    free_.emplace_hint(after, offset, nbytes);
  } catch (const std::bad_alloc&) {  // the range is lost to this device, and counts as taken
    taken_ += static_cast<std::int64_t>(nbytes);
  }
}

std::byte* Memory::alias(const std::byte* data, std::size_t nbytes) const noexcept {
  const std::byte* start = public_.load(std::memory_order_acquire);
  if (!start) return nullptr;
  auto offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(start);
  if (offset > reserved_ || nbytes > reserved_ - offset) return nullptr;
  return const_cast<std::byte*>(start) + reserved_ + offset;
}

}  // namespace crossdock::sim
