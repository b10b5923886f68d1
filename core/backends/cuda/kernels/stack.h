// Stack: the matrices that a block works on.
#pragma once

#include "kernels/anywhere.h"
#include "kernels/block_sum.h"
#include "kernels/device.h"
#include "kernels/linalg_args.h"
#include "kernels/locate.h"

namespace crossdock::cuda {

inline int thread() { return static_cast<int>(threadIdx.x); }
inline int threads() { return static_cast<int>(blockDim.x); }

// A matrix in a block's own memory; each column lies in one piece.
template <class T>
struct Columns {
  T* data;
  int rows;

  CROSSDOCK_HD T& operator()(int i, int j) const { return data[static_cast<std::int64_t>(j) * rows + i]; }
  CROSSDOCK_HD T* column(int j) const { return data + static_cast<std::int64_t>(j) * rows; }
};

// The memory of a block, given out piece by piece.
class Work {
 public:
  explicit Work(const LinalgArgs& args) : at_(args.work + blockIdx.x * args.work_nbytes) {}

  // Each piece is aligned to 16 bytes.
  template <class T>
  T* take(std::int64_t count) {
    T* const piece = reinterpret_cast<T*>(at_);
    at_ += (count * sizeof(T) + 15) / 16 * 16;
    return piece;
  }
  template <class T>
  Columns<T> matrix(int rows, int columns) {
    return {take<T>(static_cast<std::int64_t>(rows) * columns), rows};
  }

 private:
  unsigned char* at_;
};

// The operands of one matrix of the stack.
class Group {
 public:
  Group(const LinalgArgs& args, std::int64_t matrix) : args_(args), matrix_(matrix) {
    locate(matrix, args.ndim, args.shape, args.strides, offsets_);
  }
  // Where LAPACK says `info`. All threads go on.
  void fail(int info) const {
    if (thread() == 0)
      atomicMin(args_.failed, static_cast<unsigned long long>(matrix_) << 32 | static_cast<unsigned>(info));
  }

  template <class T>
  T read(int operand, int i, int j) const {
    return load_anywhere<T>(at(operand, i, j));
  }
  template <class T>
  void write(int operand, int i, int j, T value) const {
    store_anywhere<T>(at(operand, i, j), value);
  }

  // Calls visit(i, j) for each element of rows x columns, and writes what it returns.
  template <class T, class Visit>
  void write_all(int operand, int rows, int columns, Visit&& visit) const {
    for_all(rows, columns, [&](int i, int j) { write<T>(operand, i, j, visit(i, j)); });
  }
  template <class T>
  void write_nan(int operand, int rows, int columns) const {
    write_all<T>(operand, rows, columns, [](int, int) { return Make<T>::of(NAN, NAN); });
  }
  template <class T>
  void read_all(int operand, const Columns<T>& to, int columns) const {
    for_all(to.rows, columns, [&](int i, int j) { to(i, j) = read<T>(operand, i, j); });
  }

  // Threads of a block share out the elements; neighbours are of one column.
  template <class Visit>
  static void for_all(int rows, int columns, Visit&& visit) {
    const std::int64_t count = static_cast<std::int64_t>(rows) * columns;
    for (std::int64_t at = thread(); at < count; at += threads()) {
      const auto column = static_cast<int>(at / rows);
      visit(static_cast<int>(at - static_cast<std::int64_t>(column) * rows), column);
    }
  }

 private:
  unsigned char* at(int operand, int i, int j) const {
    const MatrixOperand& o = args_.operands[operand];
    return o.data + offsets_[operand] + i * o.row_step + j * o.column_step;
  }

  const LinalgArgs& args_;
  std::int64_t matrix_;
  std::int64_t offsets_[4];
};

// Calls visit(group) for each of the block's matrices.
template <class Visit>
inline void for_matrices(const LinalgArgs& args, Visit&& visit) {
  for (std::int64_t matrix = blockIdx.x; matrix < args.count; matrix += gridDim.x) {
    visit(Group(args, matrix));
    __syncthreads();
  }
}

}  // namespace crossdock::cuda
