// Matrix products of any strides, by tiles in shared memory.
#pragma once
#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/device.h"
#include "kernels/element.h"
#include "kernels/gemm_args.h"
#include "kernels/nest_place.h"

namespace crossdock::cuda {

// Integers wrap in at least 32 bits; the rest as it is computed with.
template <class E>
struct ProductSumOf {
  using type = E;
};
template <>
struct ProductSumOf<std::uint8_t> {
  using type = std::uint32_t;
};
template <>
struct ProductSumOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <class S>
using ProductSum = typename ProductSumOf<Computed<S>>::type;

struct GemmTile {
  static constexpr int kPitch = kGemmSide + 1;
  static constexpr int kEach = kGemmSide * kGemmDepth / kGemmThreads;  // elements that a thread fetches

  // Elements [first, first + 64) of one dimension and [depth, depth + 16) of the other, zeros outside of both ends.
  template <class S, class A>
  static __device__ __forceinline__ void fetch(const unsigned char* data, std::int64_t stride,
                                               std::int64_t depth_stride, std::int64_t first, std::int64_t end,
                                               std::int64_t depth, std::int64_t depth_end, bool along_depth,
                                               A (*tile)[kPitch]) {
    const int thread = static_cast<int>(threadIdx.x);
    CROSSDOCK_UNROLL
    for (int i = 0; i < kEach; ++i) {
      const int number = thread + i * kGemmThreads;
      const int place = along_depth ? number / kGemmDepth : number % kGemmSide;
      const int level = along_depth ? number % kGemmDepth : number / kGemmSide;
      A value = functors::cast<A>(0.0);
      if (first + place < end && depth + level < depth_end) {
        value = functors::cast<A>(load<S>(data + (first + place) * stride + (depth + level) * depth_stride));
      }
      tile[level][place] = value;
    }
  }
};

CROSSDOCK_HD std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

template <class S>
__global__ void __launch_bounds__(kGemmThreads) gemm(const GemmArgs args) {
  using A = ProductSum<S>;
  constexpr int kSteps = kGemmSide / 16;
  __shared__ A left[kGemmDepth][GemmTile::kPitch];
  __shared__ A right[kGemmDepth][GemmTile::kPitch];
  const int thread = static_cast<int>(threadIdx.x), across = thread % 16, down = thread / 16;
  const std::int64_t columns = (args.n + kGemmSide - 1) / kGemmSide;
  const std::int64_t tiles = (args.m + kGemmSide - 1) / kGemmSide * columns;
  const std::int64_t begin = blockIdx.z * args.part;
  const std::int64_t end = args.k - begin < args.part ? args.k : begin + args.part;
  const bool left_deep = magnitude(args.a_strides.column) <= magnitude(args.a_strides.row);
  const bool right_deep = magnitude(args.b_strides.row) < magnitude(args.b_strides.column);
  CROSSDOCK_ROLLED
  for (std::int64_t work = blockIdx.x; work < tiles * args.products; work += gridDim.x) {
    std::int64_t tile = 0, column = 0;
    const std::int64_t product = divide(work, tiles, &tile);
    const std::int64_t row = divide(tile, columns, &column) * kGemmSide;
    column *= kGemmSide;
    const unsigned char* const a = args.a + place(args.batch, args.batch.ndim, product);
    const unsigned char* const b = args.b + place(args.batch, args.batch.ndim, product, 1);
    A sums[kSteps][kSteps];
    CROSSDOCK_UNROLL
    for (int i = 0; i < kSteps; ++i) {
      CROSSDOCK_UNROLL
      for (int j = 0; j < kSteps; ++j) sums[i][j] = functors::cast<A>(0.0);
    }
    CROSSDOCK_ROLLED
    for (std::int64_t depth = begin; depth < end; depth += kGemmDepth) {
      GemmTile::fetch<S>(a, args.a_strides.row, args.a_strides.column, row, args.m, depth, end, left_deep, left);
      GemmTile::fetch<S>(b, args.b_strides.column, args.b_strides.row, column, args.n, depth, end, right_deep, right);
      __syncthreads();
      CROSSDOCK_UNROLL
      for (int level = 0; level < kGemmDepth; ++level) {
        A x[kSteps], y[kSteps];
        CROSSDOCK_UNROLL
        for (int i = 0; i < kSteps; ++i) {
          x[i] = left[level][down + 16 * i];
          y[i] = right[level][across + 16 * i];
        }
        CROSSDOCK_UNROLL
        for (int i = 0; i < kSteps; ++i) {
          CROSSDOCK_UNROLL
          for (int j = 0; j < kSteps; ++j) sums[i][j] = sums[i][j] + x[i] * y[j];
        }
      }
      __syncthreads();
    }
    unsigned char* const c = args.c + place(args.batch, args.batch.ndim, product, 2);
    A* const partial = reinterpret_cast<A*>(args.partial) + (blockIdx.z * args.products + product) * args.m * args.n;
    CROSSDOCK_UNROLL
    for (int i = 0; i < kSteps; ++i) {
      CROSSDOCK_UNROLL
      for (int j = 0; j < kSteps; ++j) {
        const std::int64_t down_at = row + down + 16 * i, across_at = column + across + 16 * j;
        if (down_at >= args.m || across_at >= args.n) continue;
        if (args.partial)
          partial[down_at * args.n + across_at] = sums[i][j];
        else
          store<S>(c + down_at * args.c_strides.row + across_at * args.c_strides.column,
                   static_cast<Computed<S>>(sums[i][j]));
      }
    }
  }
}

}  // namespace crossdock::cuda
