// Long rows: a stable radix sort of keys and places, digit after digit, all rows at a time.
#pragma once

#include "kernels/sort_rows.h"

namespace crossdock::cuda {

// Bits: those of a real part. Key, Index: what they travel as.
template <class Bits, class Key, class Index>
__global__ void make_keys(const KeysArgs args) {
  const RowsArgs& rows = args.rows;
  Key* const keys = reinterpret_cast<Key*>(args.keys);
  Index* const indices = reinterpret_cast<Index*>(args.indices);
  CROSSDOCK_ROLLED
  for (std::int64_t i = grid_thread(); i < rows.count * rows.n; i += grid_threads()) {
    std::int64_t column = 0;
    const std::int64_t row = divide(i, rows.n, &column);
    if (args.begin)
      indices[i] = static_cast<Index>(column);
    else
      column = static_cast<std::int64_t>(indices[i]);
    const Bits* const at = reinterpret_cast<const Bits*>(row_input(rows, row) + column * rows.input_stride);
    if (args.part == KeyPart::nans)
      keys[i] = static_cast<Key>(nan_class(rows.order, rows.order.key(at[0]), rows.order.key(at[1])));
    else
      keys[i] = rows.order.key(at[args.part == KeyPart::imaginary]);
  }
}

template <class Key>
CROSSDOCK_HD int digit_of(Key key, int shift) {
  return static_cast<int>(key >> shift) & (kRadix - 1);
}

// How many keys of each digit a tile has.
template <class Key>
__global__ void __launch_bounds__(kSortThreads) count_digits(const RadixArgs args) {
  __shared__ int counts[kRadix];
  const int thread = static_cast<int>(threadIdx.x);
  CROSSDOCK_ROLLED
  for (std::int64_t work = blockIdx.x; work < args.rows * args.tiles; work += gridDim.x) {
    std::int64_t tile = 0;
    const std::int64_t row = divide(work, args.tiles, &tile), begin = tile * kRadixTile;
    const std::int64_t end = begin + kRadixTile < args.n ? begin + kRadixTile : args.n;
    const Key* const keys = reinterpret_cast<const Key*>(args.keys) + row * args.n;
    counts[thread] = 0;
    __syncthreads();
    for (std::int64_t i = begin + thread; i < end; i += kSortThreads)
      atomicAdd(&counts[digit_of(keys[i], args.shift)], 1);
    __syncthreads();
    args.counts[(row * kRadix + thread) * args.tiles + tile] = counts[thread];
    __syncthreads();
  }
}

// The lanes of a warp that have the same digit; `inside`: whether this lane has one.
__device__ __forceinline__ unsigned peers_of(int digit, bool inside) {
  unsigned peers = __ballot_sync(kWholeWarp, inside);
  CROSSDOCK_UNROLL
  for (int bit = 0; bit < kRadixBits; ++bit) {
    const bool own = digit >> bit & 1;
    const unsigned others = __ballot_sync(kWholeWarp, own);
    peers &= own ? others : ~others;
  }
  return peers;
}

// Each warp takes a run of the tile, so that equal digits stay in order: by warps, then by turns, then by lanes.
template <class Key, class Index>
__global__ void __launch_bounds__(kSortThreads) move_digits(const RadixArgs args) {
  constexpr int kWarps = kSortThreads / kWarpSize;
  __shared__ int counts[kWarps][kRadix];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarpSize, lane = thread % kWarpSize;
  CROSSDOCK_ROLLED
  for (std::int64_t work = blockIdx.x; work < args.rows * args.tiles; work += gridDim.x) {
    std::int64_t tile = 0;
    const std::int64_t row = divide(work, args.tiles, &tile);
    const std::int64_t first = tile * kRadixTile + warp * kWarpSize * kRadixItems + lane;
    const Key* const keys = reinterpret_cast<const Key*>(args.keys) + row * args.n;
    const Index* const indices = reinterpret_cast<const Index*>(args.indices) + row * args.n;
    for (int i = lane; i < kRadix; i += kWarpSize) counts[warp][i] = 0;
    __syncwarp();
    Key own[kRadixItems];
    int ranks[kRadixItems];
    CROSSDOCK_UNROLL
    for (int i = 0; i < kRadixItems; ++i) {
      const std::int64_t at = first + i * kWarpSize;
      own[i] = at < args.n ? keys[at] : Key{0};
    }
    CROSSDOCK_UNROLL
    for (int i = 0; i < kRadixItems; ++i) {
      const bool inside = first + i * kWarpSize < args.n;
      const int digit = digit_of(own[i], args.shift);
      const unsigned peers = peers_of(digit, inside);
      const int earlier = __popc(peers & ((1u << lane) - 1u));
      int begin = 0;
      if (inside) begin = counts[warp][digit];
      ranks[i] = begin + earlier;
      __syncwarp();
      if (inside && earlier == 0) counts[warp][digit] = begin + __popc(peers);
      __syncwarp();
    }
    __syncthreads();
    int sum = 0;
    CROSSDOCK_UNROLL
    for (int i = 0; i < kWarps; ++i) {
      const int count = counts[i][thread];
      counts[i][thread] = sum;
      sum += count;
    }
    __syncthreads();
    Key* const keys_out = reinterpret_cast<Key*>(args.keys_out) + row * args.n;
    Index* const indices_out = reinterpret_cast<Index*>(args.indices_out) + row * args.n;
    CROSSDOCK_UNROLL
    for (int i = 0; i < kRadixItems; ++i) {
      const std::int64_t at = first + i * kWarpSize;
      if (at >= args.n) continue;
      const int digit = digit_of(own[i], args.shift);
      const std::int64_t entry = digit * args.tiles + tile;
      const std::int64_t before = entry == 0 ? 0 : args.counts[row * kRadix * args.tiles + entry - 1];
      const std::int64_t to = before + counts[warp][digit] + ranks[i];
      keys_out[to] = own[i];
      indices_out[to] = indices[at];
    }
    __syncthreads();
  }
}

template <class Index>
__global__ void write_rows(const SortedArgs args) {
  const RowsArgs& rows = args.rows;
  const Index* const indices = reinterpret_cast<const Index*>(args.indices);
  CROSSDOCK_ROLLED
  for (std::int64_t i = grid_thread(); i < rows.count * rows.n; i += grid_threads()) {
    std::int64_t column = 0;
    const std::int64_t row = divide(i, rows.n, &column);
    write_sorted(rows, row_input(rows, row), rows.output + place(rows.rows, rows.rows.ndim, rows.first + row, 1),
                 static_cast<std::int64_t>(indices[i]), column);
  }
}

}  // namespace crossdock::cuda
