// Memory of a CUDA device, cached for reuse here, or lent by another library's pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "borrowed_pool.h"
#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/at_fork.h"
#include "driver.h"

namespace crossdock::cuda {

class CudaDevice;

class CudaAllocator final : public Allocator {
 public:
  explicit CudaAllocator(CudaDevice& device);

 protected:
  std::optional<std::byte*> borrow(std::size_t nbytes) override;
  bool give_back_borrowed(std::byte* data, std::size_t nbytes) noexcept override;
  std::byte* raw_alloc(std::size_t nbytes) noexcept override;
  void raw_free(std::byte* data, std::size_t nbytes) noexcept override;
  std::int64_t total() const noexcept override;
  std::int64_t free_raw() const noexcept override;
  void reclaim() override;                           // throws when it is not for want of room that there was no memory
  std::size_t max_pooled() const noexcept override;  // no bound: what is pooled goes when room is wanted

 private:
  CudaDevice& device_;
  std::atomic<Result> refusal_{kSuccess};  // of the last request that got nothing
  std::atomic<int> nborrowed_{0};
  std::unordered_map<const std::byte*, std::shared_ptr<const BorrowedPool>> borrowed_;  // and whose it is
  mutable ForkMutex mutex_;
};

}  // namespace crossdock::cuda
