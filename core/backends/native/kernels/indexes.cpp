#include "indexes.h"

#include <cstring>
#include <string>

#include "crossdock/runtime/error.h"
#include "element.h"
#include "indexing.h"

namespace crossdock::native {

namespace {

std::int64_t load_signed(const std::byte* at, std::int64_t size) noexcept {
  std::int64_t value = 0;
  std::memcpy(&value, at, static_cast<std::size_t>(size));
  const auto unused = static_cast<int>(64 - 8 * size);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

std::uint64_t load_unsigned(const std::byte* at, std::int64_t size) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, static_cast<std::size_t>(size));
  return value;
}

bool all_inside(const std::byte* index, std::int64_t n, std::int64_t extent) noexcept {
  std::int64_t low = 0, high = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = load_offset(index + i * 8);
    low = std::min(low, at);
    high = std::max(high, at);
  }
  return low >= -extent && high < extent;
}

}  // namespace

Indexes::Indexes(const Launch& launch, Dtype dtype) noexcept
    : loop_(loops().offsets[static_cast<int>(dtype)]),
      move_(loops().move[itemsize(dtype)]),
      dtype_(dtype),
      itemsize_(itemsize(dtype)),
      extent_(launch.integers[0]),
      step_(launch.integers[1]),
      axis_(launch.integers[2]) {}

void Indexes::offsets(const std::byte* index, std::int64_t stride, const std::int64_t* so_far, std::int64_t* out,
                      std::int64_t n) const {
  alignas(8) std::byte packed[kBlock * 8];
  const std::byte* elements = index;
  if (stride != itemsize_ || reinterpret_cast<std::uintptr_t>(index) % static_cast<std::size_t>(itemsize_) != 0) {
    std::byte* const pointers[] = {const_cast<std::byte*>(index), packed};
    const std::int64_t strides[] = {stride, itemsize_};
    move_(pointers, strides, n);
    elements = packed;
  }
  if (loop_(elements, so_far, out, n, extent_, step_)) return;
  std::fill_n(out, n, 0);
  refuse(index, stride, n);
}

void Indexes::check(const std::byte* index, std::int64_t stride, std::int64_t n) const {
  std::int64_t offsets_[kBlock];
  const bool plain = dtype_ == Dtype::int64 && stride == static_cast<std::int64_t>(sizeof(std::int64_t));
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t m = std::min(kBlock, n - begin);
    const std::byte* block = index + begin * stride;
    if (plain && all_inside(block, m, extent_)) continue;
    offsets(block, stride, nullptr, offsets_, m);
  }
}

// Another thread may have changed the indexes meanwhile, so that none is outside now.
void Indexes::refuse(const std::byte* index, std::int64_t stride, std::int64_t n) const {
  std::string which = "an index";
  for (; n > 0; --n, index += stride) {
    if (kind(dtype_) == DtypeKind::signed_integer) {
      const std::int64_t i = load_signed(index, itemsize_);
      if (i >= -extent_ && i < extent_) continue;
      which = "index " + std::to_string(i);
    } else {
      const std::uint64_t i = load_unsigned(index, itemsize_);
      if (i < static_cast<std::uint64_t>(extent_)) continue;
      which = "index " + std::to_string(i);
    }
    break;
  }
  throw IndexError(which + " is out of bounds for axis " + std::to_string(axis_) + " with size " +
                   std::to_string(extent_));
}

void Places::check_offsets(const std::byte* offsets, std::int64_t stride, std::int64_t n) const {
  std::int64_t least = low_, greatest = high_;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = load_offset(offsets + i * stride);
    least = std::min(least, at);
    greatest = std::max(greatest, at);
  }
  if (least == low_ && greatest == high_) return;
  throw IndexError("an offset leads outside of the array; what was to write it has failed before");
}

void index_offsets(const Launch& launch) {
  const Indexes indexes(launch, launch.operands[0].dtype);
  const bool adds = launch.operands[1].data != nullptr;
  const Loop move = loops().move[sizeof(std::int64_t)];
  const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
    constexpr std::int64_t kSize = sizeof(std::int64_t);
    std::int64_t sums[Indexes::kBlock];
    for (std::int64_t begin = 0; begin < n; begin += Indexes::kBlock) {
      const std::int64_t m = std::min(Indexes::kBlock, n - begin);
      const auto pack = [&](std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride) {
        std::byte* const pointers[] = {from, to};
        const std::int64_t strides[] = {from_stride, to_stride};
        move(pointers, strides, m);
      };
      if (adds) pack(p[1] + begin * s[1], s[1], reinterpret_cast<std::byte*>(sums), kSize);
      indexes.offsets(p[0] + begin * s[0], s[0], adds ? sums : nullptr, sums, m);
      pack(reinterpret_cast<std::byte*>(sums), kSize, p[2] + begin * s[2], s[2]);
    }
  };
  for_rows(launch, kGrain, row);
}

}  // namespace crossdock::native
