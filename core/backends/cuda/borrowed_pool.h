// Another library's pool of device memory, from which this one takes its own: one allocator for both.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace crossdock::cuda {

struct BorrowedPool {
  // Of the device with that index, for work on its default stream; null when it has no room. From any thread; no lock
  // of ours is held meanwhile.
  std::function<std::byte*(std::size_t nbytes, int device)> take;
  std::function<void(std::byte* data, std::size_t nbytes, int device)> give_back;
};

// Null: device memory comes from the driver. What was taken before goes back to where it came from.
void set_borrowed_pool(std::shared_ptr<const BorrowedPool> pool);
std::shared_ptr<const BorrowedPool> borrowed_pool() noexcept;

}  // namespace crossdock::cuda
