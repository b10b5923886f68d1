// Matrix: two dimensions of an operand. MatrixProduct: the matrices of a matmul launch, one product per batch index.
#pragma once

#include "rows.h"

namespace crossdock::native {

struct Matrix {
  std::byte* data;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;  // bytes
  Matrix transposed() const noexcept { return {data, columns, rows, column_stride, row_stride}; }
  // Columns [begin, begin + count), or rows.
  Matrix columns_from(std::int64_t begin, std::int64_t count) const noexcept {
    return {data + begin * column_stride, rows, count, row_stride, column_stride};
  }
  Matrix rows_from(std::int64_t begin, std::int64_t count) const noexcept {
    return {data + begin * row_stride, count, columns, row_stride, column_stride};
  }
};

struct Product {
  Matrix a, b, c;
};

class MatrixProduct {
 public:
  explicit MatrixProduct(const Launch& launch) noexcept
      : launch_(launch), batch_ndim_(launch.shape.size() - 3), batch_(launch, 0, batch_ndim_, 0, 3, true) {}
  std::int64_t batch() const noexcept { return batch_.size; }
  // The first elements of all matrices.
  const Nest& batch_nest() const noexcept { return batch_; }
  std::int64_t m() const noexcept { return launch_.shape[batch_ndim_]; }
  std::int64_t n() const noexcept { return launch_.shape[batch_ndim_ + 1]; }
  std::int64_t k() const noexcept { return launch_.shape[batch_ndim_ + 2]; }
  Product at(std::int64_t index) const noexcept {
    const Odometer at(batch_, index);
    return {matrix(at, 0, m(), k()), matrix(at, 1, k(), n()), matrix(at, 2, m(), n())};
  }

 private:
  Matrix matrix(const Odometer& at, int i, std::int64_t rows, std::int64_t columns) const noexcept {
    const Operand& operand = launch_.operands[static_cast<std::size_t>(i)];
    return {at.pointers()[i], rows, columns, stride(operand, batch_ndim_), stride(operand, batch_ndim_ + 1)};
  }

  const Launch& launch_;
  int batch_ndim_;
  Nest batch_;
};

}  // namespace crossdock::native
