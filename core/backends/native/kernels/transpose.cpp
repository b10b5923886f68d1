#include "transpose.h"

namespace crossdock::native {

namespace {

// Elements along each side of a block, and bytes between the rows of its copy: not a power of two, which would put a
// column of it into few sets of the cache.
constexpr std::int64_t block_extent(std::int64_t itemsize) noexcept { return itemsize <= 4 ? 64 : 32; }
constexpr std::int64_t kBlockPitch = 64 * 4 + 16;

// The dimension along which operand `operand` is contiguous; -1 when there is none.
int contiguous_dim(const Nest& nest, int operand, std::int64_t itemsize) noexcept {
  for (int dim = nest.ndim - 1; dim >= 0; --dim) {
    if (nest.strides[dim][operand] == itemsize) return dim;
  }
  return -1;
}

// The nest over blocks: dimensions `a` and `b` count blocks, the others elements.
Nest blocks_of(const Nest& nest, int a, int b, std::int64_t extent) noexcept {
  Nest blocks = nest;
  for (const int dim : {a, b}) {
    blocks.shape[dim] = (nest.shape[dim] + extent - 1) / extent;
    for (int i = 0; i < nest.noperands; ++i) blocks.strides[dim][i] *= extent;
  }
  blocks.size = 1;
  for (int dim = 0; dim < nest.ndim; ++dim) blocks.size *= blocks.shape[dim];
  return blocks;
}

}  // namespace

bool is_transposition(const Nest& nest, std::int64_t from_itemsize, std::int64_t to_itemsize) noexcept {
  if (nest.ndim < 2) return false;
  const int from = contiguous_dim(nest, 0, from_itemsize), to = contiguous_dim(nest, 1, to_itemsize);
  return from >= 0 && to >= 0 && from != to && nest.shape[from] >= 8 && nest.shape[to] >= 8;
}

void transpose(const Nest& nest, const Conversion& conversion, std::int64_t from_itemsize, std::int64_t to_itemsize) {
  const int from = contiguous_dim(nest, 0, from_itemsize), to = contiguous_dim(nest, 1, to_itemsize);
  const std::int64_t extent = block_extent(to_itemsize);
  const std::int64_t pitch = to_itemsize <= 8 ? kBlockPitch : 2 * kBlockPitch;
  const Nest blocks = blocks_of(nest, from, to, extent);
  const Loop move = loops().move[to_itemsize];
  const TransposeLoop shuffle = loops().transpose[to_itemsize];
  const auto run_block = [&](std::int64_t block) {
    alignas(64) std::byte copy[64 * 2 * kBlockPitch];
    const Odometer at(blocks, block);
    const std::int64_t width = std::min(extent, nest.shape[from] - at.index(from) * extent);
    const std::int64_t height = std::min(extent, nest.shape[to] - at.index(to) * extent);
    for (std::int64_t row = 0; row < height; ++row) {
      conversion(at.pointers()[0] + row * nest.strides[to][0], from_itemsize, copy + row * pitch, to_itemsize, width);
    }
    const std::int64_t column_pitch = nest.strides[from][1];
    if (shuffle) return shuffle(copy, pitch, at.pointers()[1], column_pitch, height, width);
    for (std::int64_t column = 0; column < width; ++column) {
      std::byte* const pointers[] = {copy + column * to_itemsize, at.pointers()[1] + column * column_pitch};
      const std::int64_t strides[] = {pitch, to_itemsize};
      move(pointers, strides, height);
    }
  };
  parallel_for(blocks.size, kGrain / (extent * extent), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) run_block(block);
  });
}

}  // namespace crossdock::native
