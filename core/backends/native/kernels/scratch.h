// Scratch: room for a kernel's temporaries, from the pool of the host device that it runs for, where memory is warm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/device.h"
#include "crossdock/runtime/kernel.h"
#include "crossdock/runtime/stream.h"

namespace crossdock::native {

// Uninitialised elements of a plain type, all made at the first call; given back when this goes.
template <class T>
class Scratch {
 public:
  // A simulated device has no memory that a host kernel may touch by its own address: the heap serves it.
  explicit Scratch(const Launch& launch) noexcept
      : stream_(launch.stream && launch.stream->device().is_host() ? launch.stream : nullptr) {}

  // Always for the same n. OutOfMemoryError or std::bad_alloc.
  T* room(std::int64_t n) {
    if (!memory_) memory_ = allocate(static_cast<std::size_t>(n) * sizeof(T));
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  struct GiveBack {
    Stream* stream = nullptr;
    Block block;
    void operator()(std::byte* data) const noexcept {
      if (stream) {
        stream->device().allocator().release(block);
      } else {
        delete[] data;
      }
    }
  };
  using Memory = std::unique_ptr<std::byte[], GiveBack>;

  Memory allocate(std::size_t nbytes) const {
    if (!stream_) return Memory(new std::byte[nbytes]);
    const Block block = stream_->device().allocator().allocate(nbytes, stream_);
    return Memory(block.data, GiveBack{stream_, block});
  }

  Stream* stream_;
  Memory memory_;
};

}  // namespace crossdock::native
