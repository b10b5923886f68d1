// Block: a column-major matrix in memory of its own, as LAPACK takes it.
#pragma once

#include <cstdint>
#include <memory>

#include "matrix.h"

namespace crossdock::native {

// LAPACK's 32-bit size; DimensionError naming `op` when the extent is beyond it.
int lapack_size(std::int64_t extent, Op op);

class Block {
 public:
  Block() noexcept = default;
  Block(std::int64_t rows, std::int64_t columns, std::int64_t itemsize);

  void* data() const noexcept { return data_; }
  void* column(std::int64_t number) const noexcept { return data_ + number * rows_ * itemsize_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t columns() const noexcept { return columns_; }
  std::int64_t size() const noexcept { return rows_ * columns_; }

  Matrix matrix() const noexcept { return {data_, rows_, columns_, itemsize_, rows_ * itemsize_}; }
  void read(const Matrix& from) const { move(from, matrix()); }
  // The upper left part of it, of the matrix' extents.
  void write(const Matrix& to) const { move(matrix(), to); }
  void fill_zero() const noexcept;
  // Zeros above (below) the diagonal.
  void clear_above() const noexcept;
  void clear_below() const noexcept;

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  void move(const Matrix& from, const Matrix& to) const;

  std::int64_t rows_ = 0, columns_ = 0, itemsize_ = 1;
  std::unique_ptr<std::byte[], Free> memory_;
  std::byte* data_ = nullptr;
};

}  // namespace crossdock::native
