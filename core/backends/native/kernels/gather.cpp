#include "direct.h"
#include "element.h"
#include "indexes.h"
#include "indexing.h"
#include "loop_table.h"
#include "rows.h"

namespace crossdock::native {

namespace {

// Operands of a nest: the data, the offsets, the output.
template <class T>
void gather_row(std::byte* const* p, const std::int64_t* s, std::int64_t n) noexcept {
  constexpr std::int64_t kSize = sizeof(T), kOffset = sizeof(std::int64_t);
  const std::byte *data = p[0], *offsets = p[1];
  std::byte* out = p[2];
  const std::int64_t data_stride = s[0], offset_stride = s[1], out_stride = s[2];
  if (data_stride == 0 && offset_stride == kOffset && out_stride == kSize) {
    for (std::int64_t i = 0; i < n; ++i) {
      copy_element<T>(out + i * kSize, data + load_offset(offsets + i * kOffset));
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    copy_element<T>(out + i * out_stride, data + i * data_stride + load_offset(offsets + i * offset_stride));
  }
}

// Many elements of `size` bytes, whatever the size is.
void gather_elements(const Nest& nest, const Places& places, std::int64_t size) {
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, size / 16));
  const auto for_all = [&](const auto& loop) {
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      places.with_offsets(p, s, n, loop);
    };
    for_rows(nest, grain, row);
  };
  const Indexes& indexes = places.indexes();
  const auto typed = [&]<class T>(T) {
    if (!goes_direct(places, nest.strides[nest.ndim - 1])) return for_all(gather_row<T>);
    const auto row = [&](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
      if (s[0] != 0) return places.with_offsets(p, s, n, gather_row<T>);
      if (!gather_direct<T>(p, s, n, indexes.extent(), indexes.step())) indexes.check(p[1], s[1], n);
    };
    for_rows(nest, grain, row);
  };
  if (with_bytes(size, typed)) return;
  for_all([size](std::byte* const* p, const std::int64_t* s, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::memcpy(p[2] + i * s[2], p[0] + i * s[0] + load_offset(p[1] + i * s[1]), static_cast<std::size_t>(size));
    }
  });
}

}  // namespace

void gather(const Launch& launch) {
  constexpr std::int64_t kLongRun = 64 * 1024;
  const std::int64_t size = itemsize(launch.output().dtype);
  const Places places(launch);
  Nest nest(launch);
  if (nest.size == 0) return;
  const int inner = nest.ndim - 1;
  const std::int64_t* s = nest.strides[inner];
  if (s[1] != 0) return gather_elements(nest, places, size);
  // What lies together under one offset is one large element.
  const std::int64_t run = nest.shape[inner] * size;
  if (nest.ndim > 1 && s[0] == size && s[2] == size && run <= kLongRun) {
    nest.size /= nest.shape[inner];
    --nest.ndim;
    return gather_elements(nest, places, run);
  }
  const Loop move = loops().move[size];
  const auto loop = [move](std::byte* const* p, const std::int64_t* strides, std::int64_t n) {
    std::byte* const pointers[] = {p[0] + load_offset(p[1]), p[2]};
    const std::int64_t steps[] = {strides[0], strides[2]};
    move(pointers, steps, n);
  };
  const auto row = [&](std::byte* const* p, const std::int64_t* strides, std::int64_t n) {
    places.with_offsets(p, strides, n, loop);
  };
  for_rows(nest, kGrain, row);
}

}  // namespace crossdock::native
