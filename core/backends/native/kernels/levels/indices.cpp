// Indexes along an axis to byte offsets.
#include "elements.h"
#include "level.h"

namespace crossdock::native {
namespace {

template <class T>
[[gnu::always_inline]] inline bool offsets(const T* index, const std::int64_t* so_far, std::int64_t* out,
                                           std::int64_t n, std::int64_t extent, std::int64_t stride) {
  const auto size = static_cast<std::uint64_t>(extent);
  bool outside = false;
  for (std::int64_t i = 0; i < n; ++i) {
    const T at = index[i];
    std::uint64_t place = static_cast<std::uint64_t>(at);
    if constexpr (static_cast<T>(-1) < T{0}) place += at < 0 ? size : 0;
    outside |= place >= size;
    const std::int64_t offset = static_cast<std::int64_t>(place * static_cast<std::uint64_t>(stride));
    out[i] = so_far ? so_far[i] + offset : offset;
  }
  return !outside;
}

template <class T>
bool offsets_loop(const std::byte* index, const std::int64_t* so_far, std::int64_t* out, std::int64_t n,
                  std::int64_t extent, std::int64_t stride) {
  return so_far ? offsets<T>(input<T>(index), so_far, out, n, extent, stride)
                : offsets<T>(input<T>(index), nullptr, out, n, extent, stride);
}

template <class T>
void set(LoopTable& table) {
  table.offsets[static_cast<int>(dtype_of<T>)] = &offsets_loop<T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_indices(LoopTable& table) {
  set<std::int8_t>(table);
  set<std::int16_t>(table);
  set<std::int32_t>(table);
  set<std::int64_t>(table);
  set<std::uint8_t>(table);
  set<std::uint16_t>(table);
  set<std::uint32_t>(table);
  set<std::uint64_t>(table);
}

}  // namespace crossdock::native
