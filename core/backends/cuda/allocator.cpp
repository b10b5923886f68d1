#include "allocator.h"

#include <limits>
#include <mutex>
#include <utility>

#include "current.h"
#include "device.h"

namespace crossdock::cuda {

CudaAllocator::CudaAllocator(CudaDevice& device) : Allocator(device.spec()), device_(device) {}

std::byte* CudaAllocator::raw_alloc(std::size_t nbytes) noexcept try {
  const Current current(device_, std::nothrow);
  if (!current) return nullptr;
  if (auto pool = borrowed_pool()) {
    std::byte* data = pool->take(nbytes, device_.index());
    if (!data) return nullptr;
    std::lock_guard lock(mutex_);
    borrowed_.emplace(data, std::move(pool));
    return data;
  }
  DevicePointer data = 0;
  return device_.driver().memory_allocate(&data, nbytes) == kSuccess ? reinterpret_cast<std::byte*>(data) : nullptr;
} catch (const std::exception&) {  // no memory on the host to remember it by
  return nullptr;
}

void CudaAllocator::raw_free(std::byte* data, std::size_t nbytes) noexcept {
  std::shared_ptr<const BorrowedPool> pool;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = borrowed_.find(data); found != borrowed_.end()) {
      pool = std::move(found->second);
      borrowed_.erase(found);
    }
  }
  // In a forked child nothing is to be given back: the memory is the parent's.
  const Current current(device_, std::nothrow);
  if (!current) return;
  if (pool)
    pool->give_back(data, nbytes, device_.index());
  else
    device_.driver().memory_free(device_pointer(data));  // waits for what still uses it
}

std::int64_t CudaAllocator::total() const noexcept { return device_.total_memory(); }

std::int64_t CudaAllocator::free_raw() const noexcept {
  std::size_t free = 0, total = 0;
  const Current current(device_, std::nothrow);
  if (!current || device_.driver().memory_info(&free, &total) != kSuccess) return 0;
  return static_cast<std::int64_t>(free);
}

// A pool that is borrowed caches by itself.
std::size_t CudaAllocator::max_pooled() const noexcept {
  return borrowed_pool() ? 0 : static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
}

}  // namespace crossdock::cuda
