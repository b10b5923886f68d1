#include "allocator.h"

#include <limits>
#include <mutex>
#include <utility>

#include "current.h"
#include "device.h"

namespace crossdock::cuda {

CudaAllocator::CudaAllocator(CudaDevice& device) : Allocator(device.spec()), device_(device) {}

std::optional<std::byte*> CudaAllocator::borrow(std::size_t nbytes) {
  auto pool = borrowed_pool();
  if (!pool) return std::nullopt;
  const Current current(device_);
  std::byte* data = pool->take(nbytes, device_.index());
  if (!data) return data;
  try {
    std::lock_guard lock(mutex_);
    borrowed_.emplace(data, pool);
    nborrowed_.fetch_add(1);
  } catch (...) {
    pool->give_back(data, nbytes, device_.index());
    throw;
  }
  return data;
}

bool CudaAllocator::give_back_borrowed(std::byte* data, std::size_t nbytes) noexcept {
  if (nborrowed_.load(std::memory_order_relaxed) == 0) return false;
  std::shared_ptr<const BorrowedPool> pool;
  {
    std::lock_guard lock(mutex_);
    const auto found = borrowed_.find(data);
    if (found == borrowed_.end()) return false;
    pool = std::move(found->second);
    borrowed_.erase(found);
    nborrowed_.fetch_sub(1);
  }
  // In a forked child nothing is to be given back: the memory is the parent's.
  if (const Current current(device_, std::nothrow); current) pool->give_back(data, nbytes, device_.index());
  return true;
}

std::byte* CudaAllocator::raw_alloc(std::size_t nbytes) noexcept {
  DevicePointer data = 0;
  const Current current(device_, std::nothrow);
  if (!current) return nullptr;
  if (const Result result = device_.driver().memory_allocate(&data, nbytes); result != kSuccess) {
    refusal_.store(result);
    return nullptr;
  }
  return reinterpret_cast<std::byte*>(data);
}

void CudaAllocator::reclaim() {
  if (is_forked()) cuda::driver();  // says so
  const Result refusal = refusal_.exchange(kSuccess);
  if (refusal != kOutOfMemory) device_.check(refusal, "cuMemAlloc");
}

void CudaAllocator::raw_free(std::byte* data, std::size_t /*nbytes*/) noexcept {
  // Waits for what still uses it.
  if (const Current current(device_, std::nothrow); current) device_.driver().memory_free(device_pointer(data));
}

std::int64_t CudaAllocator::total() const noexcept { return device_.total_memory(); }

std::int64_t CudaAllocator::free_raw() const noexcept {
  std::size_t free = 0, total = 0;
  const Current current(device_, std::nothrow);
  if (!current || device_.driver().memory_info(&free, &total) != kSuccess) return 0;
  return static_cast<std::int64_t>(free);
}

std::size_t CudaAllocator::max_pooled() const noexcept {
  return static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
}

}  // namespace crossdock::cuda
