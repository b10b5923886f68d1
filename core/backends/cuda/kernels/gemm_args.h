// What the matrix product's kernel is given; read by the host's compiler and by NVRTC alike.
#pragma once

#include "kernels/reduction_args.h"

namespace crossdock::cuda {

inline constexpr int kGemmThreads = 256;  // of each block
inline constexpr int kGemmSide = 64;      // of the output's tiles, a block for each
inline constexpr int kGemmDepth = 16;     // columns of a, rows of b that are in shared memory at a time

struct MatrixStrides {
  std::int64_t row, column;  // bytes
};

struct GemmArgs {
  const unsigned char* a;
  const unsigned char* b;
  unsigned char* c;
  unsigned char* partial;  // sums of parts, by parts, products, rows, columns; null: written to c
  std::int64_t m, n, k;
  std::int64_t part;  // of k; blockIdx.z takes one each
  std::int64_t products;
  MatrixStrides a_strides, b_strides, c_strides;
  NestDims<3> batch;
};

}  // namespace crossdock::cuda
