// Host memory for arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crossdock/runtime/allocator.h"

namespace crossdock::native {

// Blocks of 4 MiB and more come from the system directly, in huge pages where it has them; smaller ones from malloc.
class HostAllocator : public Allocator {
 public:
  using Allocator::Allocator;
  ~HostAllocator() override { trim(); }

 protected:
  std::byte* raw_alloc(std::size_t nbytes) noexcept override;
  void raw_free(std::byte* data, std::size_t nbytes) noexcept override;
  std::int64_t total() const noexcept override;
  std::int64_t free_raw() const noexcept override;
  std::size_t max_pooled() const noexcept override;
};

}  // namespace crossdock::native
