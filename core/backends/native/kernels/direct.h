// Elements by one array of int64 indexes, without offsets in between: what most indexing is.
#pragma once

#include "element.h"
#include "indexes.h"

namespace crossdock::native {

// Whether operand 1 is contiguous int64 indexes.
inline bool goes_direct(const Places& places, const std::int64_t* strides) noexcept {
  return places.dtype() == Dtype::int64 && places.counted() && strides[1] == sizeof(std::int64_t);
}

// The place along the axis, `extent` or more when the index is outside.
inline std::uint64_t place_of(const std::byte* index, std::uint64_t extent) noexcept {
  const std::int64_t at = load_offset(index);
  return static_cast<std::uint64_t>(at) + (at < 0 ? extent : 0);
}

// out[i] = data[index[i]]; false when an index is outside (then an element inside was read instead).
template <class T>
bool gather_direct(std::byte* const* p, const std::int64_t* s, std::int64_t n, std::int64_t extent,
                   std::int64_t step) noexcept {
  if (extent == 0) return false;
  const auto size = static_cast<std::uint64_t>(extent);
  const std::byte *data = p[0], *index = p[1];
  std::byte* out = p[2];
  const std::int64_t out_stride = s[2];
  bool outside = false;
  const auto run = [&](std::int64_t data_step, std::int64_t to) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t place = place_of(index + i * 8, size);
      const bool bad = place >= size;
      outside |= bad;
      copy_element<T>(out + i * to, data + static_cast<std::int64_t>(bad ? 0 : place) * data_step);
    }
  };
  constexpr std::int64_t kSize = sizeof(T);
  step == kSize&& out_stride == kSize ? run(kSize, kSize) : run(step, out_stride);
  return !outside;
}

// target[index[i]] = values[i], one after the other. Indexes have been checked; one that has changed since is passed
// over.
template <class T>
void scatter_direct(std::byte* const* p, const std::int64_t* s, std::int64_t n, std::int64_t extent,
                    std::int64_t step) noexcept {
  const auto size = static_cast<std::uint64_t>(extent);
  const std::byte *values = p[0], *index = p[1];
  std::byte* target = p[2];
  const std::int64_t value_stride = s[0];
  const auto run = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t place = place_of(index + i * 8, size);
      if (place < size) copy_element<T>(target + static_cast<std::int64_t>(place) * to, values + i * from);
    }
  };
  constexpr std::int64_t kSize = sizeof(T);
  step == kSize&& value_stride == kSize ? run(kSize, kSize) : run(value_stride, step);
}

}  // namespace crossdock::native
