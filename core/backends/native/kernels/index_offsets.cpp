#include <cstring>
#include <string>

#include "crossdock/runtime/error.h"
#include "indexing.h"
#include "nest.h"

namespace crossdock::native {

namespace {

struct Axis {
  std::int64_t extent, stride, number;
};

template <class T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Where index i begins, or `extent` and more when there is no such place.
template <class T>
std::uint64_t place(T i, std::int64_t extent) noexcept {
  if constexpr (std::is_signed_v<T>) {
    const auto wide = static_cast<std::int64_t>(i);
    return static_cast<std::uint64_t>(wide) + (wide < 0 ? static_cast<std::uint64_t>(extent) : 0);
  }
  return static_cast<std::uint64_t>(i);
}

// Whether all were inside; the others become 0, so that nothing that comes later leaves the array.
template <class T>
bool add_offsets(const std::byte* index, std::int64_t index_stride, const std::byte* so_far, std::int64_t so_far_stride,
                 std::byte* out, std::int64_t out_stride, std::int64_t n, const Axis& axis) noexcept {
  bool inside = true;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t at = place(load<T>(index + i * index_stride), axis.extent);
    const bool good = at < static_cast<std::uint64_t>(axis.extent);
    inside &= good;
    const std::int64_t offset =
        load<std::int64_t>(so_far + i * so_far_stride) + (good ? static_cast<std::int64_t>(at) : 0) * axis.stride;
    std::memcpy(out + i * out_stride, &offset, sizeof offset);
  }
  return inside;
}

template <class T>
[[noreturn]] void refuse(const std::byte* index, std::int64_t stride, const Axis& axis) {
  while (place(load<T>(index), axis.extent) < static_cast<std::uint64_t>(axis.extent)) index += stride;
  throw IndexError("index " + std::to_string(load<T>(index)) + " is out of bounds for axis " +
                   std::to_string(axis.number) + " with size " + std::to_string(axis.extent));
}

template <class T>
void run(const Launch& launch) {
  const Axis axis{launch.integers[0], launch.integers[1], launch.integers[2]};
  const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
    // With the usual strides as constants the loop is twice as fast.
    constexpr std::int64_t kIndex = sizeof(T), kOffset = sizeof(std::int64_t);
    bool inside;
    if (s[0] == kIndex && s[1] == 0 && s[2] == kOffset) {
      inside = add_offsets<T>(p[0], kIndex, p[1], 0, p[2], kOffset, n, axis);
    } else {
      inside = add_offsets<T>(p[0], s[0], p[1], s[1], p[2], s[2], n, axis);
    }
    if (!inside) refuse<T>(p[0], s[0], axis);
  };
  for_rows(launch, kGrain, row);
}

}  // namespace

void index_offsets(const Launch& launch) {
  switch (launch.operands[0].dtype) {
    case Dtype::int8:
      return run<std::int8_t>(launch);
    case Dtype::int16:
      return run<std::int16_t>(launch);
    case Dtype::int32:
      return run<std::int32_t>(launch);
    case Dtype::uint8:
      return run<std::uint8_t>(launch);
    case Dtype::uint16:
      return run<std::uint16_t>(launch);
    case Dtype::uint32:
      return run<std::uint32_t>(launch);
    case Dtype::uint64:
      return run<std::uint64_t>(launch);
    default:
      return run<std::int64_t>(launch);
  }
}

}  // namespace crossdock::native
