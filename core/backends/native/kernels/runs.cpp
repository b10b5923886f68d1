#include "runs.h"

#include <cstring>

namespace crossdock::native {

namespace {

constexpr std::int64_t kLongest = 512;  // bytes

// In pieces of `piece` bytes; the last one overlaps the one before it.
template <std::int64_t piece>
void move_runs(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n, std::int64_t nbytes) {
  const std::int64_t last = nbytes - piece;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::byte* from = pointers[0] + i * strides[0];
    std::byte* to = pointers[1] + i * strides[1];
    for (std::int64_t at = 0; at < last; at += piece) std::memcpy(to + at, from + at, piece);
    std::memcpy(to + last, from + last, piece);
  }
}

}  // namespace

bool is_runs(const Nest& nest, std::int64_t itemsize) noexcept {
  const int last = nest.ndim - 1;
  const std::int64_t nbytes = nest.shape[last] * itemsize;
  return last > 0 && nest.strides[last][0] == itemsize && nest.strides[last][1] == itemsize && nbytes > 2 &&
         nbytes <= kLongest;
}

void copy_runs(const Nest& nest, std::int64_t itemsize) {
  Nest runs = nest;
  const std::int64_t nbytes = nest.shape[--runs.ndim] * itemsize;
  runs.size /= nest.shape[runs.ndim];
  const auto move = nbytes >= 16  ? &move_runs<16>
                    : nbytes >= 8 ? &move_runs<8>
                    : nbytes >= 4 ? &move_runs<4>
                                  : &move_runs<2>;
  const auto row = [move, nbytes](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
    move(pointers, strides, n, nbytes);
  };
  constexpr std::int64_t kGrainBytes = 128 * 1024;
  for_rows(runs, kGrainBytes / nbytes, row);
}

}  // namespace crossdock::native
