// Reductions over any dimensions, in one pass or in parts that a second launch merges. What is added to what depends on
// the launch alone: results are the same each time.
#pragma once

#include "kernels/accumulators.h"
#include "kernels/device.h"
#include "kernels/nest_place.h"
#include "kernels/shuffle.h"

namespace crossdock::cuda {

inline constexpr int kTogether = 4;  // loads in flight for each thread
inline constexpr int kRounds = 32;   // turns of them that are summed up before they are added to the rest

template <class S>
struct alignas(16) Pack {
  static constexpr int count = sizeof(S) < 16 ? static_cast<int>(16 / sizeof(S)) : 1;
  Raw<S> elements[count];
};

// The accumulators of one thread: several, so that additions do not wait for each other.
template <class R>
struct Lane {
  using A = typename R::Accumulator;
  using S = typename R::Stored;

  __device__ __forceinline__ explicit Lane(ReductionContext given) : context(given), total(R::identity()) { clear(); }

  __device__ __forceinline__ void clear() {
    CROSSDOCK_UNROLL
    for (int turn = 0; turn < kTogether; ++turn) turns[turn] = R::identity();
  }
  __device__ __forceinline__ void settle() {
    total = R::merge(total, R::merge(R::merge(turns[0], turns[1]), R::merge(turns[2], turns[3])));
    clear();
  }

  // Every `lanes`-th element from `first` on, below `end`; at(i): where element i is.
  template <class At>
  __device__ __forceinline__ void each(std::int64_t first, std::int64_t end, int lanes, At at) {
    std::int64_t i = first;
    CROSSDOCK_ROLLED
    while (i + (kTogether - 1) * lanes < end) {
      CROSSDOCK_ROLLED
      for (int round = 0; round < kRounds && i + (kTogether - 1) * lanes < end; ++round, i += kTogether * lanes) {
        Computed<S> x[kTogether];
        CROSSDOCK_UNROLL
        for (int turn = 0; turn < kTogether; ++turn) x[turn] = load<S>(at(i + turn * lanes));
        CROSSDOCK_UNROLL
        for (int turn = 0; turn < kTogether; ++turn)
          turns[turn] = R::enter(turns[turn], x[turn], i + turn * lanes, context);
      }
      settle();
    }
    CROSSDOCK_ROLLED
    for (; i < end; i += lanes) turns[0] = R::enter(turns[0], load<S>(at(i)), i, context);
    settle();
  }

  // The elements [index, index + n), which lie one after the other, for one of `lanes` threads.
  __device__ __forceinline__ void run(const unsigned char* data, std::int64_t n, std::int64_t index, int lane,
                                      int lanes) {
    constexpr int kCount = Pack<S>::count;
    const auto at = [=](std::int64_t i) { return data + i * static_cast<std::int64_t>(sizeof(S)); };
    const std::int64_t before =
        static_cast<std::int64_t>((16 - reinterpret_cast<std::uint64_t>(data) % 16) % 16 / sizeof(S));
    const std::int64_t head = sizeof(S) == 16 ? 0 : (before < n ? before : n);
    const std::int64_t packs = (n - head) / kCount;
    CROSSDOCK_ROLLED
    for (std::int64_t i = lane; i < head; i += lanes) turns[0] = R::enter(turns[0], load<S>(at(i)), index + i, context);
    if constexpr (kCount > 1) {
      const Pack<S>* const from = reinterpret_cast<const Pack<S>*>(at(head));
      std::int64_t i = lane;
      CROSSDOCK_ROLLED
      while (i + (kTogether - 1) * lanes < packs) {
        CROSSDOCK_ROLLED
        for (int round = 0; round < kRounds && i + (kTogether - 1) * lanes < packs; ++round, i += kTogether * lanes) {
          Pack<S> pack[kTogether];
          CROSSDOCK_UNROLL
          for (int turn = 0; turn < kTogether; ++turn) pack[turn] = from[i + turn * lanes];
          CROSSDOCK_UNROLL
          for (int turn = 0; turn < kTogether; ++turn)
            enter(turn, pack[turn], index + head + (i + turn * lanes) * kCount);
        }
        settle();
      }
      CROSSDOCK_ROLLED
      for (; i < packs; i += lanes) enter(0, from[i], index + head + i * kCount);
      CROSSDOCK_ROLLED
      for (std::int64_t j = head + packs * kCount + lane; j < n; j += lanes)
        turns[0] = R::enter(turns[0], load<S>(at(j)), index + j, context);
      settle();
    } else {
      settle();
      each(head + lane, n, lanes, at);
    }
  }

  __device__ __forceinline__ void enter(int turn, const Pack<S>& pack, std::int64_t index) {
    CROSSDOCK_UNROLL
    for (int j = 0; j < Pack<S>::count; ++j)
      turns[turn] = R::enter(turns[turn], widen<S>(pack.elements[j]), index + j, context);
  }

  ReductionContext context;
  A turns[kTogether];
  A total;
};

// The part [begin, end) of a result's elements, for one of its threads.
template <class R>
__device__ __forceinline__ typename R::Accumulator reduce_part(const ReductionArgs& args, const unsigned char* data,
                                                               ReductionContext context, std::int64_t begin,
                                                               std::int64_t end, int lane, int lanes) {
  Lane<R> sums(context);
  const int last = args.reduced.ndim - 1;
  const std::int64_t stride = args.reduced.strides[0][last];
  if (args.runs) {
    const std::int64_t inner = last == 0 ? args.length : args.reduced.shape[last];
    CROSSDOCK_ROLLED
    for (std::int64_t i = begin; i < end;) {
      std::int64_t column = i;
      const std::int64_t row = last == 0 ? 0 : divide(i, inner, &column);
      const std::int64_t n = end - i < inner - column ? end - i : inner - column;
      sums.run(data + place(args.reduced, last, row) + column * stride, n, i, lane, lanes);
      i += n;
    }
  } else {
    sums.each(begin + lane, end, lanes,
              [&](std::int64_t i) { return data + place(args.reduced, args.reduced.ndim, i); });
  }
  return sums.total;
}

// What all threads of a result have, in its first one. `shared`: as many accumulators as threads.
template <class R, class A = typename R::Accumulator>
__device__ __forceinline__ A merge_lanes(A total, A* shared, int lane, int lanes, int column, int width, bool across) {
  if (!across) {
    const int warp_lanes = lanes < kWarpSize ? lanes : kWarpSize;
    CROSSDOCK_ROLLED
    for (int step = warp_lanes / 2; step > 0; step /= 2) total = R::merge(total, shuffle_xor(total, step));
    if (lanes <= kWarpSize) return total;
    const int warps = lanes / kWarpSize;
    if (lane % kWarpSize == 0) shared[column * warps + lane / kWarpSize] = total;
    __syncthreads();
    if (lane == 0) {
      CROSSDOCK_ROLLED
      for (int warp = 1; warp < warps; ++warp) total = R::merge(total, shared[column * warps + warp]);
    }
    __syncthreads();
    return total;
  }
  shared[lane * width + column] = total;
  __syncthreads();
  CROSSDOCK_ROLLED
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (lane < half)
      shared[lane * width + column] = R::merge(shared[lane * width + column], shared[(lane + half) * width + column]);
    __syncthreads();
  }
  total = shared[column];
  __syncthreads();
  return total;
}

template <class R>
__global__ void __launch_bounds__(kReductionThreads, 4) reduce(const ReductionArgs args) {
  using A = typename R::Accumulator;
  __shared__ A shared[kReductionThreads];
  const int thread = static_cast<int>(threadIdx.x), lanes = 1 << args.lanes_log2;
  const int width_log2 = 8 - args.lanes_log2, width = 1 << width_log2;
  const int lane = args.across ? thread >> width_log2 : thread & (lanes - 1);
  const int column = args.across ? thread & (width - 1) : thread >> args.lanes_log2;
  const std::int64_t begin = blockIdx.y * args.part;
  const std::int64_t end = args.length - begin < args.part ? args.length : begin + args.part;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * width;
  CROSSDOCK_ROLLED
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * width; first < args.size; first += step) {
    const std::int64_t result = first + column;
    const bool inside = result < args.size;
    A total = R::identity();
    if (inside) {
      ReductionContext context{args.mask, 0};
      if (args.centres)
        context.centre = *reinterpret_cast<const double*>(args.centres + place(args.kept, args.kept.ndim, result, 1));
      total =
          reduce_part<R>(args, args.input + place(args.kept, args.kept.ndim, result), context, begin, end, lane, lanes);
    }
    total = merge_lanes<R>(total, shared, lane, lanes, column, width, args.across);
    if (!inside || lane != 0) continue;
    if (args.partial)
      reinterpret_cast<A*>(args.partial)[blockIdx.y * args.size + result] = total;
    else
      R::finish(total, args, args.output + place(args.kept, args.kept.ndim, result, 2));
  }
}

}  // namespace crossdock::cuda
