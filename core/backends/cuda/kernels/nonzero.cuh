// The numbers of a mask's true elements, in C order: tiles are counted, the counts added up, then numbers written.
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/locate.h"
#include "kernels/nonzero_args.h"

namespace crossdock::cuda {

// The block's sum of what comes in threads before, and the sum of all. For blocks of up to 1024 threads, whole warps.
inline std::int64_t scan_block(std::int64_t value, std::int64_t& total) {
  __shared__ std::int64_t sums[kWarpSize];
  const int lane = threadIdx.x % kWarpSize, warp = threadIdx.x / kWarpSize;
  std::int64_t inclusive = value;
  for (int step = 1; step < kWarpSize; step *= 2) {
    const std::int64_t before = __shfl_up_sync(kWholeWarp, inclusive, step);
    if (lane >= step) inclusive += before;
  }
  __syncthreads();  // sums of an earlier call have been read
  if (lane == kWarpSize - 1) sums[warp] = inclusive;
  __syncthreads();
  std::int64_t before = 0;
  total = 0;
  for (int other = 0; other < static_cast<int>(blockDim.x) / kWarpSize; ++other) {
    if (other == warp) before = total;
    total += sums[other];
  }
  return before + inclusive - value;
}

// Which of the thread's elements, from `first` on, are true: one bit each.
inline unsigned load_bits(const NonzeroArgs& args, std::int64_t first) {
  unsigned bits = 0;
  if (args.flat && first + kNonzeroPerThread <= args.size) {
    static_assert(kNonzeroPerThread == sizeof(Line16));
    const Line16 line = *reinterpret_cast<const Line16*>(args.mask + first);
    CROSSDOCK_UNROLL
    for (int k = 0; k < kNonzeroPerThread; ++k)
      bits |= static_cast<unsigned>((line.words[k / 4] >> (k % 4 * 8) & 0xff) != 0) << k;
    return bits;
  }
  for (int k = 0; k < kNonzeroPerThread && first + k < args.size; ++k) {
    std::int64_t at[2];
    locate(first + k, args.ndim, args.shape, args.strides, at);
    bits |= static_cast<unsigned>(args.mask[at[0]] != 0) << k;
  }
  return bits;
}

inline int count_bits(unsigned bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) ++count;
  return count;
}

inline std::int64_t first_of_thread() {
  return (static_cast<std::int64_t>(blockIdx.x) * kNonzeroThreads + threadIdx.x) * kNonzeroPerThread;
}

inline void count_tiles(const NonzeroArgs& args) {
  std::int64_t total;
  scan_block(count_bits(load_bits(args, first_of_thread())), total);
  if (threadIdx.x == 0) args.counts[blockIdx.x] = total;
}

// By one block.
inline void scan_tiles(const NonzeroArgs& args) {
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < args.tiles; first += blockDim.x) {
    const std::int64_t tile = first + threadIdx.x;
    const bool mine = tile < args.tiles;
    std::int64_t total;
    const std::int64_t at = before + scan_block(mine ? args.counts[tile] : 0, total);
    if (mine) args.counts[tile] = at;
    before += total;
  }
  if (threadIdx.x == 0) args.counts[args.tiles] = before;
}

// The mask may have changed since `room` was counted: no more are written, and zeros where there are less.
inline void number_tiles(const NonzeroArgs& args) {
  const std::int64_t first = first_of_thread();
  const unsigned bits = load_bits(args, first);
  std::int64_t total;
  std::int64_t to = args.counts[blockIdx.x] + scan_block(count_bits(bits), total);
  for (int k = 0; k < kNonzeroPerThread; ++k) {
    if (!(bits >> k & 1) || to >= args.room) continue;
    std::int64_t at[2];
    locate(first + k, args.ndim, args.shape, args.strides, at);
    args.out[to++] = at[1];
  }
  const std::int64_t all = args.counts[args.tiles];
  for (std::int64_t i = all + grid_thread(); i < args.room; i += grid_threads()) args.out[i] = 0;
}

template <NonzeroStep step>
__global__ void nonzero(const NonzeroArgs args) {
  if constexpr (step == NonzeroStep::count)
    count_tiles(args);
  else if constexpr (step == NonzeroStep::scan)
    scan_tiles(args);
  else
    number_tiles(args);
}

}  // namespace crossdock::cuda
