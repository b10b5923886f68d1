#include "block.h"

#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "crossdock/runtime/error.h"
#include "loop_table.h"

namespace crossdock::native {

namespace {

constexpr std::size_t kAlignment = 64;
// Before and after the elements: with NaN, some versions of LAPACK look one row off for a pivot.
constexpr std::int64_t kMargin = 64;

}  // namespace

int lapack_size(std::int64_t extent, Op op) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (extent <= kMost) return static_cast<int>(extent);
  throw DimensionError(std::string(name(op)) + ": a size of " + std::to_string(extent) +
                       " is beyond what LAPACK counts (" + std::to_string(kMost) + ")");
}

void Block::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, std::align_val_t{kAlignment});
}

Block::Block(std::int64_t rows, std::int64_t columns, std::int64_t itemsize)
    : rows_(rows), columns_(columns), itemsize_(itemsize) {
  std::int64_t nbytes = 0;
  if (__builtin_mul_overflow(rows, columns, &nbytes) || __builtin_mul_overflow(nbytes, itemsize, &nbytes) ||
      __builtin_add_overflow(nbytes, 2 * kMargin, &nbytes)) {
    throw std::bad_alloc();
  }
  memory_.reset(new (std::align_val_t{kAlignment}) std::byte[static_cast<std::size_t>(nbytes)]);
  data_ = memory_.get() + kMargin;
  std::memset(memory_.get(), 0, kMargin);
}

void Block::fill_zero() const noexcept { std::memset(data_, 0, static_cast<std::size_t>(size() * itemsize_)); }

void Block::clear_above() const noexcept {
  for (std::int64_t j = 1; j < columns_; ++j)
    std::memset(column(j), 0, static_cast<std::size_t>(std::min(j, rows_) * itemsize_));
}

void Block::clear_below() const noexcept {
  for (std::int64_t j = 0; j < std::min(columns_, rows_ - 1); ++j) {
    std::memset(static_cast<std::byte*>(column(j)) + (j + 1) * itemsize_, 0,
                static_cast<std::size_t>((rows_ - j - 1) * itemsize_));
  }
}

// As many rows and columns as both have. One of the two is column-major, the other has any strides.
void Block::move(const Matrix& from, const Matrix& to) const {
  const std::int64_t rows = std::min(from.rows, to.rows), columns = std::min(from.columns, to.columns);
  const TransposeLoop turn = loops().transpose[itemsize_];
  const Loop copy = loops().move[itemsize_];
  const bool reads_rows = from.column_stride == itemsize_ && to.row_stride == itemsize_;
  const bool writes_rows = from.row_stride == itemsize_ && to.column_stride == itemsize_;
  if (turn && rows > 1 && columns > 1 && (reads_rows || writes_rows)) {
    // Rows of one are columns of the other: in pieces that fit the cache.
    const Matrix a = reads_rows ? from : from.transposed(), b = reads_rows ? to : to.transposed();
    const std::int64_t height = reads_rows ? rows : columns, width = reads_rows ? columns : rows;
    constexpr std::int64_t kPiece = 32;
    for (std::int64_t i = 0; i < height; i += kPiece) {
      for (std::int64_t j = 0; j < width; j += kPiece) {
        turn(a.data + i * a.row_stride + j * itemsize_, a.row_stride, b.data + i * itemsize_ + j * b.column_stride,
             b.column_stride, std::min(kPiece, height - i), std::min(kPiece, width - j));
      }
    }
    return;
  }
  const std::int64_t strides[] = {from.row_stride, to.row_stride};
  for (std::int64_t j = 0; j < columns; ++j) {
    std::byte* const pointers[] = {from.data + j * from.column_stride, to.data + j * to.column_stride};
    copy(pointers, strides, rows);
  }
}

}  // namespace crossdock::native
