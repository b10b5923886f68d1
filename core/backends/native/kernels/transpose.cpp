#include "transpose.h"

#include <cstdlib>

#include "stream.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kLong = 2048;  // elements of a tile that is narrow the other way
constexpr std::int64_t kBufferBytes = 80 * 1024;

// The dimension along which an operand has its smallest stride; broadcast ones do not count. -1 when there is none.
int nearest_dim(const Nest& nest, int operand) noexcept {
  int nearest = -1;
  std::int64_t least = kLine;
  for (int dim = nest.ndim - 1; dim >= 0; --dim) {
    const std::int64_t stride = std::abs(nest.strides[dim][operand]);
    if (stride == 0 || stride >= least) continue;
    least = stride;
    nearest = dim;
  }
  return nearest;
}

// How a nest is cut into tiles: `from` and `to` are the dimensions near in the source and in the target.
class Tiles {
 public:
  Tiles(const Nest& nest, const Conversion& conversion, bool streams) noexcept;
  std::int64_t count() const noexcept { return blocks_.size; }
  std::int64_t elements() const noexcept { return width_ * height_; }
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  struct Cut {
    int dim;
    std::int64_t extent, skipped;
  };
  enum class Way { kAlongSource, kAlongTarget, kInterleave, kDirect, kStaged };
  void choose() noexcept;
  void cut() noexcept;
  struct Tile {
    const std::byte* source;
    std::byte* target;
    std::int64_t width, height;
  };
  Tile tile(std::int64_t index) const noexcept;
  void run(const Tile& tile, const std::byte* next) const;
  void turn_strips(const Tile& tile, const std::byte* next) const;
  void turn_staged(const Tile& tile, const std::byte* next) const;
  void fetch(const std::byte* source, std::int64_t row, std::int64_t end) const noexcept;

  const Nest& nest_;
  const Conversion& conversion_;
  const bool streams_;
  const int from_, to_;
  const std::int64_t size_;  // of a target's element
  Way way_;
  std::int64_t width_, height_;  // elements of a tile along `from` and along `to`
  std::int64_t skipped_ = 0;     // elements that the first tiles along `to` are shorter by: the others begin on a line
  std::int64_t source_near_, source_far_, target_near_, target_far_;
  Nest blocks_;  // `from` and `to` count tiles, the others elements
};

Tiles::Tiles(const Nest& nest, const Conversion& conversion, bool streams) noexcept
    : nest_(nest),
      conversion_(conversion),
      streams_(streams),
      from_(nearest_dim(nest, 0)),
      to_(nearest_dim(nest, 1)),
      size_(conversion.to_itemsize()),
      source_near_(nest.strides[from_][0]),
      source_far_(nest.strides[to_][0]),
      target_near_(nest.strides[to_][1]),
      target_far_(nest.strides[from_][1]),
      blocks_(nest) {
  choose();
  cut();
}

// Blocks in registers need as many rows and columns as a vector of 16 bytes has elements. Rows of the source that are
// a multiple of 1 KiB apart share few sets of the cache: such tiles go through a buffer, as those that are converted.
void Tiles::choose() noexcept {
  const std::int64_t columns = nest_.shape[from_], rows = nest_.shape[to_], least = 16 / size_;
  const bool near = conversion_.moves() && source_near_ == size_ && target_near_ == size_;
  if (near && rows <= 4 && target_far_ == rows * size_ && loops().interleave[rows][size_]) {
    way_ = Way::kInterleave;
    width_ = kLong;
    height_ = rows;
    return;
  }
  const bool direct = near && source_far_ % 1024 != 0;
  if (columns >= least && rows >= least && (direct || (columns >= 16 && rows >= 8))) {
    way_ = direct ? Way::kDirect : Way::kStaged;
    height_ = size_ == 1 ? 256 : size_ == 2 ? 128 : streams_ ? 512 / size_ : size_ == 16 ? 32 : 64;
    width_ = std::min(height_, columns);
    if (direct && columns < height_) height_ = kLong;
    if (streams_ && !direct && columns > height_) {  // memory is read in runs of a KiB, and written in shorter ones
      height_ = size_ == 1 ? 128 : size_ >= 8 ? 32 : 64;
      width_ = std::min<std::int64_t>(size_ == 1 ? 512 : 1024 / size_, columns);
    }
    return;
  }
  way_ = columns <= rows ? Way::kAlongTarget : Way::kAlongSource;
  width_ = way_ == Way::kAlongSource ? kLong : 16;
  height_ = way_ == Way::kAlongTarget ? kLong : 16;
}

void Tiles::cut() noexcept {
  const auto past_line = reinterpret_cast<std::intptr_t>(nest_.pointers[1]) % kLine;
  const bool turns = way_ == Way::kDirect || way_ == Way::kStaged;
  if (turns && nest_.shape[to_] >= height_ && target_near_ == size_ && target_far_ % kLine == 0) {
    skipped_ = past_line / size_;  // not whole: such a target is on a line nowhere
  }
  for (int i = 0; i < nest_.noperands; ++i) blocks_.pointers[i] -= skipped_ * nest_.strides[to_][i];
  for (const auto& [dim, extent, skipped] : {Cut{from_, width_, 0}, Cut{to_, height_, skipped_}}) {
    blocks_.shape[dim] = (nest_.shape[dim] + skipped + extent - 1) / extent;
    for (int i = 0; i < nest_.noperands; ++i) blocks_.strides[dim][i] *= extent;
  }
  blocks_.size = 1;
  for (int dim = 0; dim < nest_.ndim; ++dim) blocks_.size *= blocks_.shape[dim];
}

Tiles::Tile Tiles::tile(std::int64_t index) const noexcept {
  const Odometer at(blocks_, index);
  const std::int64_t begins = at.index(to_) * height_ - skipped_, missing = std::max<std::int64_t>(0, -begins);
  return {at.pointers()[0] + missing * source_far_, at.pointers()[1] + missing * target_near_,
          std::min(width_, nest_.shape[from_] - at.index(from_) * width_),
          std::min(height_ - missing, nest_.shape[to_] - begins - missing)};
}

void Tiles::run(std::int64_t begin, std::int64_t end) const {
  if (begin == end) return;
  Tile next = tile(begin);
  for (std::int64_t i = begin; i < end; ++i) {
    const Tile now = next;
    if (i + 1 < end) next = tile(i + 1);
    run(now, streams_ && i + 1 < end ? next.source : nullptr);
  }
  if (streams_) end_stream();
}

void Tiles::run(const Tile& tile, const std::byte* next) const {
  const auto [source, target, width, height] = tile;
  switch (way_) {
    case Way::kAlongSource:
      for (std::int64_t row = 0; row < height; ++row)
        conversion_(source + row * source_far_, source_near_, target + row * target_near_, target_far_, width);
      return;
    case Way::kAlongTarget:
      for (std::int64_t column = 0; column < width; ++column)
        conversion_(source + column * source_near_, source_far_, target + column * target_far_, target_near_, height);
      return;
    case Way::kInterleave:
      return loops().interleave[nest_.shape[to_]][size_](source, source_far_, target, width);
    case Way::kDirect:
      return turn_strips(tile, next);
    case Way::kStaged:
      return turn_staged(tile, next);
  }
}

// Rows of a tile that comes next: memory reads while the stores of this one are under way.
void Tiles::fetch(const std::byte* source, std::int64_t row, std::int64_t end) const noexcept {
  const std::int64_t nbytes = std::abs(source_near_) * width_;
  const std::byte* first = source_near_ < 0 ? source - nbytes : source;
  for (; row < end; ++row) {
    for (std::int64_t at = 0; at < nbytes; at += kLine) __builtin_prefetch(first + row * source_far_ + at, 0, 2);
  }
}

// In strips that are a line of the target wide, so that the source's lines are read whole, one after the other.
void Tiles::turn_strips(const Tile& tile, const std::byte* next) const {
  const auto [source, target, width, height] = tile;
  const bool aligned = (reinterpret_cast<std::intptr_t>(target) | target_far_) % kLine == 0;
  const TransposeLoop turn = (streams_ && aligned ? loops().stream_transpose : loops().transpose)[size_];
  const std::int64_t strip = kLine / size_;
  for (std::int64_t row = 0; row < height;) {
    const std::int64_t rows = height - row < 2 * strip ? height - row : strip;
    if (next) fetch(next, row, row + rows);
    turn(source + row * source_far_, source_far_, target + row * size_, target_far_, rows, width);
    row += rows;
  }
}

void Tiles::turn_staged(const Tile& tile, const std::byte* next) const {
  const auto [source, target, width, height] = tile;
  alignas(64) std::byte room[kBufferBytes];
  const std::int64_t pitch = width_ * size_ / kLine * kLine + kLine;  // no power of two, for the sets of the cache
  for (std::int64_t row = 0; row < height; ++row)
    conversion_(source + row * source_far_, source_near_, room + row * pitch, size_, width);
  if (target_near_ == size_) {
    const bool aligned = (reinterpret_cast<std::intptr_t>(target) | target_far_) % kLine == 0;
    const TransposeLoop turn = (streams_ && aligned ? loops().stream_transpose : loops().transpose)[size_];
    if (!next) return turn(room, pitch, target, target_far_, height, width);
    const std::int64_t piece = 16 / size_;  // as many columns as a block in registers has: reads and stores take turns
    for (std::int64_t column = 0; column < width;) {
      const std::int64_t columns = width - column < 2 * piece ? width - column : piece;
      fetch(next, column * height / width, (column + columns) * height / width);
      turn(room + column * size_, pitch, target + column * target_far_, target_far_, height, columns);
      column += columns;
    }
    return;
  }
  const Conversion move = Conversion::moving(size_);
  for (std::int64_t column = 0; column < width; ++column)
    move(room + column * size_, pitch, target + column * target_far_, target_near_, height);
}

}  // namespace

bool is_transposition(const Nest& nest) noexcept {
  constexpr std::int64_t kFewest = 64;  // elements
  if (nest.ndim < 2) return false;
  const int from = nearest_dim(nest, 0), to = nearest_dim(nest, 1);
  return from >= 0 && to >= 0 && from != to && nest.strides[to][0] != 0 && nest.shape[from] * nest.shape[to] >= kFewest;
}

void transpose(const Nest& nest, const Conversion& conversion, bool streams) {
  const Tiles tiles(nest, conversion, streams);
  parallel_for(tiles.count(), std::max<std::int64_t>(1, kGrain / tiles.elements()),
               [&](std::int64_t begin, std::int64_t end) { tiles.run(begin, end); });
}

}  // namespace crossdock::native
