// FourierBuffer: numbers to work on, from memory that is kept for the next transform.
#pragma once

#include <cstdint>

#include "../allocator.h"
#include "fourier_loops.h"
#include "loop_table.h"

namespace crossdock::native {

class FourierAllocator final : public HostAllocator {
 public:
  static FourierAllocator& get();

 private:
  FourierAllocator() : HostAllocator("native") {}
  std::size_t max_pooled() const noexcept override { return std::size_t{64} << 20; }
};

template <class T>
class FourierBuffer {
 public:
  explicit FourierBuffer(std::int64_t count)
      : block_(FourierAllocator::get().allocate(static_cast<std::size_t>(count) * sizeof(T), nullptr)) {}
  ~FourierBuffer() { FourierAllocator::get().release(block_); }
  FourierBuffer(const FourierBuffer&) = delete;
  FourierBuffer& operator=(const FourierBuffer&) = delete;
  T* data() const noexcept { return reinterpret_cast<T*>(block_.data); }

 private:
  Block block_;
};

template <class T>
const FourierLoops<T>& fourier_loops() noexcept {
  if constexpr (sizeof(T) == sizeof(float))
    return loops().fourier32;
  else
    return loops().fourier64;
}

}  // namespace crossdock::native
