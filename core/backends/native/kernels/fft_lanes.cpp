#include "fft_lanes.h"

#include <algorithm>
#include <cstring>

namespace crossdock::native {

namespace {

// The distance of each row from the one before; 0 unless all are the same and all lanes exist.
template <class T>
std::int64_t pitch_of(std::byte* const* rows, int count) noexcept {
  if (count != kFourierLanes<T>) return 0;
  const std::int64_t pitch = rows[1] - rows[0];
  for (int lane = 2; lane < count; ++lane) {
    if (rows[lane] - rows[lane - 1] != pitch) return 0;
  }
  return pitch;
}

template <class T>
T load(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
constexpr std::int64_t kSize = sizeof(T);

template <class T>
void multiply(T* column, std::int64_t pitch, std::int64_t n, T scale) {
  for (std::int64_t i = 0; i < n; ++i, column += pitch) {
    for (int lane = 0; lane < kFourierLanes<T>; ++lane) column[lane] *= scale;
  }
}

}  // namespace

template <class T>
void gather(std::byte* const* rows, int count, std::int64_t step, bool real, T* column, std::int64_t pitch,
            std::int64_t n) {
  constexpr int kLanes = kFourierLanes<T>;
  if (!real && step == 2 * kSize<T> && pitch == 2 * kLanes) {  // pairs of numbers one after the other
    return gather(rows, count, kSize<T>, true, column, kLanes, 2 * n);
  }
  const std::int64_t distance = pitch_of<T>(rows, count);
  const TransposeLoop transpose = loops().transpose[sizeof(T)];
  if (real && distance != 0 && step == kSize<T> && transpose) {
    return transpose(rows[0], distance, reinterpret_cast<std::byte*>(column), pitch * kSize<T>, kLanes, n);
  }
  if (real && distance == kSize<T>) {
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(column + i * pitch, rows[0] + i * step, 64);
    return;
  }
  if (!real && distance == 2 * kSize<T> && pitch == 2 * kLanes) {
    return fourier_loops<T>().split(rows[0], step, column, n, count);
  }
  const int parts = real ? 1 : 2;
  for (std::int64_t i = 0; i < n; ++i, column += pitch) {
    if (count < kLanes) std::fill(column, column + parts * kLanes, T{0});
    for (int part = 0; part < parts; ++part) {
      for (int lane = 0; lane < count; ++lane)
        column[part * kLanes + lane] = load<T>(rows[lane] + i * step + part * kSize<T>);
    }
  }
}

template <class T>
void scatter(T* column, std::int64_t pitch, std::byte* const* rows, int count, std::int64_t step, bool real,
             std::int64_t n, T scale) {
  constexpr int kLanes = kFourierLanes<T>;
  if (!real && step == 2 * kSize<T> && pitch == 2 * kLanes) {
    return scatter(column, kLanes, rows, count, kSize<T>, true, 2 * n, scale);
  }
  const std::int64_t distance = pitch_of<T>(rows, count);
  if (!real && distance == 2 * kSize<T> && pitch == 2 * kLanes) {
    return fourier_loops<T>().join(column, rows[0], step, n, count, scale);
  }
  if (scale != 1) {
    multiply(column, pitch, n, scale);
    if (!real) multiply(column + kLanes, pitch, n, scale);
  }
  const TransposeLoop transpose = loops().transpose[sizeof(T)];
  if (real && distance != 0 && step == kSize<T> && transpose) {
    return transpose(reinterpret_cast<std::byte*>(column), pitch * kSize<T>, rows[0], distance, n, kLanes);
  }
  if (real && distance == kSize<T>) {
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(rows[0] + i * step, column + i * pitch, 64);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i, column += pitch) {
    for (int part = 0; part < (real ? 1 : 2); ++part) {
      for (int lane = 0; lane < count; ++lane)
        std::memcpy(rows[lane] + i * step + part * kSize<T>, column + part * kLanes + lane, sizeof(T));
    }
  }
}

#define CROSSDOCK_INSTANTIATE(T)                                                                       \
  template void gather<T>(std::byte* const*, int, std::int64_t, bool, T*, std::int64_t, std::int64_t); \
  template void scatter<T>(T*, std::int64_t, std::byte* const*, int, std::int64_t, bool, std::int64_t, T);
CROSSDOCK_INSTANTIATE(float)
CROSSDOCK_INSTANTIATE(double)
#undef CROSSDOCK_INSTANTIATE

}  // namespace crossdock::native
