#include "transpose.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "indexed.h"
#include "kernels/transpose_args.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

constexpr int kSizes = 5;  // 1, 2, 4, 8, 16 bytes

std::string expression(int number) { return std::string("transpose<") + bytes_type(1 << number) + ">"; }

KernelFamily family("transpose.cuh", kSizes, expression);

int number_of(int itemsize) {
  int number = 0;
  while (1 << number < itemsize) ++number;
  return number;
}

// The dimension along which an operand lies in memory, element after element or nearly so; -1 when there is none.
int nearest_dim(const Nest& nest, int operand) noexcept {
  constexpr std::int64_t kFarthest = 64;  // bytes: elements farther apart share no line
  int nearest = -1;
  std::int64_t least = kFarthest;
  for (int dim = nest.ndim - 1; dim >= 0; --dim) {
    const std::int64_t stride = std::abs(nest.strides[dim][operand]);
    if (stride == 0 || stride >= least) continue;
    least = stride;
    nearest = dim;
  }
  return nearest;
}

TransposeArgs make_args(const Nest& nest, int from, int to, int side) {
  TransposeArgs args{};
  args.from = reinterpret_cast<const unsigned char*>(nest.pointers[0]);
  args.to = reinterpret_cast<unsigned char*>(nest.pointers[1]);
  args.rows = static_cast<std::uint32_t>(nest.shape[to]);
  args.columns = static_cast<std::uint32_t>(nest.shape[from]);
  args.from_column = nest.strides[from][0];
  args.from_row = nest.strides[to][0];
  args.to_column = nest.strides[from][1];
  args.to_row = nest.strides[to][1];
  const auto unsigned_side = static_cast<std::uint32_t>(side);
  args.tile_columns = divisor((args.columns + unsigned_side - 1) / unsigned_side);
  args.tile_rows = divisor((args.rows + unsigned_side - 1) / unsigned_side);
  args.tiles = args.tile_columns.value * args.tile_rows.value;
  for (int dim = 0; dim < nest.ndim; ++dim) {
    if (dim == from || dim == to) continue;
    args.extents[args.ndim] = divisor(static_cast<std::uint32_t>(nest.shape[dim]));
    std::copy_n(nest.strides[dim], 2, args.strides[args.ndim]);
    args.tiles *= args.extents[args.ndim++].value;
  }
  return args;
}

}  // namespace

bool transpose(const Launcher& launcher, const Nest& nest, int itemsize) {
  const int from = nearest_dim(nest, 0), to = nearest_dim(nest, 1);
  constexpr std::int64_t kLeast = 8;  // elements: of shorter sides most of a tile is empty
  if (from < 0 || to < 0 || from == to) return false;
  if (nest.strides[to][0] == 0 || nest.shape[from] < kLeast || nest.shape[to] < kLeast) return false;
  const TransposeArgs args = make_args(nest, from, to, transpose_side(itemsize));
  Grid grid;
  grid.threads = kTransposeThreads;
  grid.x = std::min(args.tiles, static_cast<std::uint32_t>(launcher.multiprocessors()) * 64);
  launcher.run(family, number_of(itemsize), grid, args);
  return true;
}

}  // namespace crossdock::cuda
