// TransposeArgs: a copy whose source runs along one dimension and whose target along another, cut into square tiles.
#pragma once

#include "kernels/indexed_args.h"

namespace crossdock::cuda {

struct TransposeArgs {
  const unsigned char* from;
  unsigned char* to;
  std::uint32_t tiles, rows, columns;  // a row runs along the source, a column along the target
  std::int64_t from_column, from_row;  // strides in bytes
  std::int64_t to_column, to_row;
  Divisor tile_columns, tile_rows;  // how many tiles there are along rows, along columns
  int ndim;                         // other dimensions
  Divisor extents[kMaxKernelNdim];
  std::int64_t strides[kMaxKernelNdim][2];
};

inline constexpr int kTransposeThreads = 256;
// Elements of a tile's side: rows of at least 64 bytes.
constexpr int transpose_side(int itemsize) { return itemsize < 4 ? 64 : 32; }

}  // namespace crossdock::cuda
