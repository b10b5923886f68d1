#include "crossdock/array/buffer.h"

namespace crossdock {

namespace {

class PoolBuffer final : public Buffer {
 public:
  PoolBuffer(Device& device, const Block& block) noexcept
      : Buffer(device, block.data, block.requested), block_(block) {}
  ~PoolBuffer() override { device().allocator().release(block_); }

 private:
  Block block_;
};

class BorrowedBuffer final : public Buffer {
 public:
  BorrowedBuffer(Device& device, std::byte* data, std::size_t nbytes, std::function<void()> release) noexcept
      : Buffer(device, data, nbytes), release_(std::move(release)) {}
  ~BorrowedBuffer() override {
    if (release_) release_();
  }

 private:
  std::function<void()> release_;
};

}  // namespace

std::shared_ptr<Buffer> Buffer::allocate(Device& device, std::size_t nbytes) {
  const Block block = device.allocator().allocate(nbytes, &device.default_stream());
  try {
    return std::make_shared<PoolBuffer>(device, block);
  } catch (...) {
    device.allocator().release(block);
    throw;
  }
}

std::shared_ptr<Buffer> Buffer::borrow(Device& device, std::byte* data, std::size_t nbytes,
                                       std::function<void()> release) {
  return std::make_shared<BorrowedBuffer>(device, data, nbytes, std::move(release));
}

}  // namespace crossdock
