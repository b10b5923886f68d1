#include "gemm.h"

#include <memory>
#include <new>

#include "conversion.h"
#include "loop_table.h"

namespace crossdock::native {

namespace {

constexpr std::int64_t kDepth = 256;  // of the panels that are packed at a time

struct AlignedDelete {
  void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{64}); }
};
using Scratch = std::unique_ptr<std::byte[], AlignedDelete>;
Scratch scratch(std::int64_t nbytes) {
  return Scratch(static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(nbytes), std::align_val_t{64})));
}

// The product of one block of the output.
class Block {
 public:
  Block(Dtype dtype, std::int64_t rows, std::int64_t columns)
      : kernel_(loops().gemm[static_cast<int>(dtype)]),
        widen_(dtype, kernel_.element),
        narrow_(kernel_.element, dtype),
        itemsize_(itemsize(kernel_.element)),
        pitch_(whole(columns, kernel_.columns)),
        a_(scratch(whole(rows, kernel_.rows) * kDepth * itemsize_)),
        b_(scratch(pitch_ * kDepth * itemsize_)),
        c_(scratch(whole(rows, kernel_.rows) * pitch_ * itemsize_)) {}

  void run(const Product& product) {
    const auto& [a, b, c] = product;
    std::memset(c_.get(), 0, static_cast<std::size_t>(whole(c.rows, kernel_.rows) * pitch_ * itemsize_));
    for (std::int64_t begin = 0; begin < a.columns; begin += kDepth) {
      const std::int64_t depth = std::min(kDepth, a.columns - begin);
      pack(a.columns_from(begin, depth), kernel_.rows, a_.get());
      pack(b.rows_from(begin, depth).transposed(), kernel_.columns, b_.get());
      multiply(c, depth);
    }
    for (std::int64_t row = 0; row < c.rows; ++row) {
      narrow_(c_.get() + row * pitch_ * itemsize_, itemsize_, c.data + row * c.row_stride, c.column_stride, c.columns);
    }
  }

 private:
  static std::int64_t whole(std::int64_t n, std::int64_t unit) noexcept { return (n + unit - 1) / unit * unit; }

  // Panels of `width` rows of `source`, in each panel column after column; missing rows are zeros.
  void pack(const Matrix& source, std::int64_t width, std::byte* panel) const {
    const std::int64_t depth = source.columns;
    for (std::int64_t row = 0; row < source.rows; row += width, panel += width * depth * itemsize_) {
      const Matrix rows = source.rows_from(row, std::min(width, source.rows - row));
      if (rows.rows < width) std::memset(panel, 0, static_cast<std::size_t>(width * depth * itemsize_));
      if (std::abs(rows.column_stride) < std::abs(rows.row_stride)) {
        for (std::int64_t i = 0; i < rows.rows; ++i) {
          widen_(rows.data + i * rows.row_stride, rows.column_stride, panel + i * itemsize_, width * itemsize_, depth);
        }
      } else {
        for (std::int64_t d = 0; d < depth; ++d) {
          widen_(rows.data + d * rows.column_stride, rows.row_stride, panel + d * width * itemsize_, itemsize_,
                 rows.rows);
        }
      }
    }
  }

  void multiply(const Matrix& c, std::int64_t depth) const {
    for (std::int64_t column = 0; column < c.columns; column += kernel_.columns) {
      for (std::int64_t row = 0; row < c.rows; row += kernel_.rows) {
        kernel_.run(a_.get() + row * depth * itemsize_, b_.get() + column * depth * itemsize_,
                    c_.get() + (row * pitch_ + column) * itemsize_, pitch_, depth);
      }
    }
  }

  const GemmKernel& kernel_;
  Conversion widen_, narrow_;
  std::int64_t itemsize_, pitch_;
  Scratch a_, b_, c_;
};

}  // namespace

void gemm(const MatrixProduct& products, Dtype dtype) {
  const std::int64_t height = std::min<std::int64_t>(products.m(), 96),
                     width = std::min<std::int64_t>(products.n(), 256);
  const std::int64_t down = (products.m() + height - 1) / height, across = (products.n() + width - 1) / width;
  const std::int64_t work = height * width * std::max<std::int64_t>(products.k(), 1);
  parallel_for(products.batch() * down * across, 1 + kGrain * 8 / work, [&](std::int64_t begin, std::int64_t end) {
    Block block(dtype, height, width);
    for (std::int64_t task = begin; task < end; ++task) {
      const Product whole = products.at(task / (down * across));
      const std::int64_t row = task / across % down * height, column = task % across * width;
      const std::int64_t rows = std::min(height, products.m() - row), columns = std::min(width, products.n() - column);
      block.run({whole.a.rows_from(row, rows), whole.b.columns_from(column, columns),
                 whole.c.rows_from(row, rows).columns_from(column, columns)});
    }
  });
}

}  // namespace crossdock::native
