// Tiles turned in shared memory, so that both sides are read and written along whole lines.
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/transpose_args.h"

namespace crossdock::cuda {

template <class T>
__global__ void transpose(const TransposeArgs args) {
  constexpr int side = transpose_side(sizeof(T)), rows_at_once = kTransposeThreads / side;
  // One bank further in each row, so that a column lies in all of them.
  constexpr int pitch = side + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
  __shared__ T tile[side * pitch];
  const int lane = static_cast<int>(threadIdx.x) % side, first = static_cast<int>(threadIdx.x) / side;
  for (std::uint32_t number = blockIdx.x; number < args.tiles; number += gridDim.x) {
    const std::uint32_t line = divide(number, args.tile_columns);
    const std::uint32_t column = (number - line * args.tile_columns.value) * side;
    std::uint32_t rest = divide(line, args.tile_rows);
    const std::uint32_t row = (line - rest * args.tile_rows.value) * side;
    std::int64_t from = 0, to = 0;
    for (int dim = args.ndim - 1; dim >= 0; --dim) {
      const std::uint32_t outer = divide(rest, args.extents[dim]);
      const std::int64_t index = rest - outer * args.extents[dim].value;
      from += index * args.strides[dim][0];
      to += index * args.strides[dim][1];
      rest = outer;
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < side; k += rows_at_once) {
      const std::uint32_t i = row + first + k, j = column + lane;
      if (i < args.rows && j < args.columns)
        tile[(first + k) * pitch + lane] =
            *reinterpret_cast<const T*>(args.from + from + i * args.from_row + j * args.from_column);
    }
    __syncthreads();
    CROSSDOCK_UNROLL
    for (int k = 0; k < side; k += rows_at_once) {
      const std::uint32_t i = row + lane, j = column + first + k;
      if (i < args.rows && j < args.columns)
        *reinterpret_cast<T*>(args.to + to + i * args.to_row + j * args.to_column) = tile[lane * pitch + first + k];
    }
    __syncthreads();
  }
}

}  // namespace crossdock::cuda
