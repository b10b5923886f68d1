#include "allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace crossdock::native {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kMapped = 4 * kMiB;
constexpr std::size_t kHugePage = 2 * kMiB;

// A mapping that starts on a huge page: the ends of a larger one are given back.
std::byte* map(std::size_t nbytes) noexcept {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t length = (nbytes + page - 1) / page * page;
  void* start = ::mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  auto address = reinterpret_cast<std::uintptr_t>(start);
  std::size_t head = (kHugePage - address % kHugePage) % kHugePage;
  auto* data = static_cast<std::byte*>(start) + head;
  if (head) ::munmap(start, head);
  if (head < kHugePage) ::munmap(data + length, kHugePage - head);
#ifdef MADV_HUGEPAGE
  ::madvise(data, length, MADV_HUGEPAGE);
#endif
  return data;
}

// What the system could give without swapping, by its own estimate; -1 where it has none.
std::int64_t available_memory() noexcept {
  std::FILE* file = std::fopen("/proc/meminfo", "re");
  if (!file) return -1;
  char line[128];
  long long kilobytes = -1;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1) break;
  std::fclose(file);
  return kilobytes < 0 ? -1 : std::int64_t{kilobytes} * 1024;
}

std::int64_t physical_memory() noexcept {
  static const std::int64_t nbytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return nbytes;
}

}  // namespace

std::byte* HostAllocator::raw_alloc(std::size_t nbytes) noexcept {
  if (nbytes >= kMapped) return map(nbytes);
  return static_cast<std::byte*>(std::aligned_alloc(64, nbytes));
}

void HostAllocator::raw_free(std::byte* data, std::size_t nbytes) noexcept {
  if (nbytes >= kMapped)
    ::munmap(data, nbytes);
  else
    std::free(data);
}

std::int64_t HostAllocator::total() const noexcept { return physical_memory(); }

std::int64_t HostAllocator::free_raw() const noexcept {
  std::int64_t available = available_memory();
  return available < 0 ? total() : available;
}

// Fresh pages cost more than most operations on them, so the memory of a few large temporaries is kept.
std::size_t HostAllocator::max_pooled() const noexcept {
  return std::clamp(static_cast<std::size_t>(physical_memory()) / 16, 64 * kMiB, 1024 * kMiB);
}

}  // namespace crossdock::native
