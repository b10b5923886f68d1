// Cholesky and LU factorizations, and what is solved by them.
#include <vector>

#include "block.h"
#include "linalg.h"
#include "stack.h"

namespace crossdock::native {

namespace {

double cube(std::int64_t n) noexcept {
  const auto real = static_cast<double>(n);
  return real * real * real;
}

// The columns of the right-hand side `b` on all threads, as each is a problem of its own.
void solve_columns(const Lapack& lapack, Dtype dtype, const Block& lu, const std::vector<int>& pivots, const Block& b) {
  constexpr std::int64_t kTask = 256 * 1024;  // operations worth a thread's while
  const std::int64_t n = lu.rows();
  const std::int64_t grain = std::max<std::int64_t>(8, 1 + kTask / (n * n));
  parallel_for(b.columns(), grain, [&](std::int64_t begin, std::int64_t end) {
    lapack.getrs(dtype, static_cast<int>(n), static_cast<int>(end - begin), lu.data(), pivots.data(), b.column(begin));
  });
}

// The element's imaginary part, if it has one, is 0 already.
void write_real(std::byte* element, double value, Dtype dtype) {
  if (itemsize(real_part(dtype)) == 4) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(element, &narrow, sizeof narrow);
  } else {
    std::memcpy(element, &value, sizeof value);
  }
}

void fill_identity(const Block& block, Dtype dtype) {
  block.fill_zero();
  for (std::int64_t i = 0; i < block.rows(); ++i)
    write_real(static_cast<std::byte*>(block.column(i)) + i * itemsize(dtype), 1, dtype);
}

// inv and solve: the matrix is operand 0, the solution the last.
template <class ReadRightSide>
void solve_all(const Launch& launch, std::int64_t columns, ReadRightSide&& read_right_side) {
  const Lapack& lapack = Lapack::get();
  const Dtype dtype = launch.dtype;
  const int n = lapack_size(launch.shape[launch.shape.size() - 2], launch.op);
  lapack_size(columns, launch.op);
  Stack(launch).for_each(cube(n) + cube(n) / n * static_cast<double>(columns), [&] {
    return [&, a = Block(n, n, itemsize(dtype)), b = Block(n, columns, itemsize(dtype)),
            pivots = std::vector<int>(static_cast<std::size_t>(n))](const Group& group) mutable {
      a.read(group.matrix(0, n, n));
      if (const int info = lapack.getrf(dtype, n, n, a.data(), pivots.data())) return info;
      read_right_side(group, b);
      solve_columns(lapack, dtype, a, pivots, b);
      b.write(group.matrix(launch.noperands - 1, n, columns));
      return 0;
    };
  });
}

}  // namespace

void cholesky(const Launch& launch) {
  const Lapack& lapack = Lapack::get();
  const int n = lapack_size(launch.shape.back(), launch.op);
  const bool upper = launch.integers[0] != 0;
  Stack(launch).for_each(cube(n) / 3, [&] {
    return [&, a = Block(n, n, itemsize(launch.dtype))](const Group& group) {
      a.read(group.matrix(0, n, n));
      if (const int info = lapack.potrf(launch.dtype, upper ? 'U' : 'L', n, a.data())) return info;
      upper ? a.clear_below() : a.clear_above();
      a.write(group.matrix(1, n, n));
      return 0;
    };
  });
}

void lu(const Launch& launch) {
  const Lapack& lapack = Lapack::get();
  const int ndim = launch.shape.size();
  const int m = lapack_size(launch.shape[ndim - 2], launch.op), n = lapack_size(launch.shape[ndim - 1], launch.op);
  const int k = std::min(m, n);
  Stack(launch).for_each(cube(k), [&] {
    return [&, a = Block(m, n, itemsize(launch.dtype)),
            pivots = std::vector<int>(static_cast<std::size_t>(k))](const Group& group) mutable {
      a.read(group.matrix(0, m, n));
      lapack.getrf(launch.dtype, m, n, a.data(), pivots.data());  // a zero on the diagonal is a result here
      a.write(group.matrix(1, m, n));
      const Matrix out = group.vector(2, k);
      bool odd = false;
      for (int i = 0; i < k; ++i) {
        const std::int64_t row = pivots[static_cast<std::size_t>(i)] - 1;
        std::memcpy(out.data + i * out.row_stride, &row, sizeof row);
        odd ^= row != i;
      }
      std::byte* const parity = group.vector(3, 1).data;
      std::memset(parity, 0, static_cast<std::size_t>(itemsize(launch.dtype)));
      write_real(parity, odd ? -1 : 1, launch.dtype);
      return 0;
    };
  });
}

void solve(const Launch& launch) {
  const std::int64_t n = launch.shape[launch.shape.size() - 2], columns = launch.shape.back();
  solve_all(launch, columns, [&](const Group& group, const Block& b) { b.read(group.matrix(1, n, columns)); });
}

void inv(const Launch& launch) {
  solve_all(launch, launch.shape.back(), [&](const Group&, const Block& b) { fill_identity(b, launch.dtype); });
}

}  // namespace crossdock::native
