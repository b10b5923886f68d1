// Launch: everything a kernel needs, as a value. KernelTable: which kernel serves an operation and a dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "crossdock/runtime/dims.h"
#include "crossdock/runtime/dtype.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

class Stream;

// One array argument. Strides are in bytes, one per dimension of the launch; a broadcast dimension has stride 0.
struct Operand {
  std::byte* data =
      nullptr;  // first element in the launch's order, in the device's address space; null: use `immediate`
  Dtype dtype = Dtype::bool_;
  Dims strides;
  alignas(16) std::byte immediate[16] = {};  // a scalar that travels with the launch, as kernel arguments do
};

// Inputs come first, the output last. What `shape` means depends on the kind of operation:
//   elementwise (unary, binary, where, copy): the output's shape; operands' strides are broadcast to it.
//   copy: operand 0 -> operand 1, any two dtypes, C casting rules as NumPy's astype (dispatch on operand 0's dtype).
//   pack: runs of bytes -> operand 1; `table` has three numbers for each run: where it begins, from operand 0's data
//   on,
//     how long it is, and where it goes to, from operand 1's data on. Dispatch on uint8; no shape, no strides.
//   reductions: kept dimensions first, then `reduced` reduced ones; the output's strides there are 0. The input is
//     never empty along reduced dimensions for max, min, argmax, argmin; sum, prod, any, all write their identity.
//     sum and prod: the output may have a wider dtype of the input's kind (int8 -> int64, float16 -> float32).
//     squared_deviations: operand 1 is a centre for each output (float64, like the output): the sum of the squares of
//     operand 0 less it, less what the square of their sum divided by their number says of the centre's error.
//     argmax, argmin: output int64, index in C order over the reduced dimensions, first occurrence; NaN wins.
//   arange: out[i] = scalar[0] + i * scalar[1], in `dtype` (integers from integers[0..1], others from scalars[0..1]).
//   matmul: batch dimensions, then M, N, K; operands a[..., M, K], b[..., K, N], out[..., M, N], each with
//     strides for the batch dimensions and then its own last two (so strides.size() == batch + 2). K may be 0.
//   index_offsets: operand 0 (integers that index an axis), operand 1 (int64, offsets so far) -> operand 2 (int64):
//     out = so far + i * integers[1], where integers[0] is the axis' extent, integers[1] its stride in bytes and
//     integers[2] its number for the IndexError that an i outside [-extent, extent) raises. Negative i count from the
//     end. Dispatch on operand 0's dtype.
//   gather: operand 0 (data), operand 1 (int64 byte offsets) -> operand 2: out = the element `offset` bytes from where
//     the data's strides lead; the data's strides are 0 along indexed dimensions. Any dtype, by its size.
//     integers[0..1]: the least and the greatest offset that leads to an element; IndexError for others, as there are
//     where what was to write the offsets has failed. integers[3]: whether operand 1 is not offsets, but indexes of any
//     integer dtype, with integers[0..2] as for index_offsets.
//   scatter: operand 0 (values), operand 1 (int64 byte offsets) -> operand 2 (the target, likewise with strides 0).
//     integers as for gather. Where several elements have one place, the last in C order stays; nothing is written when
//     an index is outside.
//   nonzero: operand 0 (bool, any shape), operand 1 (no data) -> operand 2 (int64, contiguous): for each true element,
//     in C order, the sum of its indices times operand 1's strides. integers[0]: how many there are, counted before;
//     when the mask has changed since, as many are written all the same.
//   sort, argsort: the last dimension is sorted, stably, with NaN above all and 0.0 equal to -0.0; complex numbers by
//     real part, then by imaginary; integers[0]: whether descending. argsort gives int64. Operands do not overlap.
//   searchsorted: elementwise over operand 1 -> operand 2 (int64); operand 0 is 1-d and sorted, of integers[0] elements
//     integers[1] bytes apart (its strides here are 0); integers[2]: 1 for side 'right'.
//   cumulative_sum, cumulative_prod: along the last dimension; dispatch on the output's dtype, to which elements are
//     converted first. Floating-point numbers accumulate in 64 bits.
//   linear algebra: batch dimensions, then M, N (at least 1 each) as `shape`; each operand has strides for the batch
//     dimensions and then its own; the last `outputs` operands are outputs. K: the smaller of M and N.
//     cholesky: a -> factor; integers[0]: 1 for the upper one. Only that triangle of a is read.
//     lu: a -> both factors in one matrix, pivots[K] (int64: row i was exchanged with row pivots[i]), parity[] (-1
//     where rows were exchanged an odd number of times, else 1).
//     solve: a[M, M], b[M, N] -> x[M, N]. inv: a -> its inverse.
//     qr: a -> q[M, C], r[C, N]; integers[0]: 1 when C is M, else it is K.
//     eigh: a (its lower triangle) -> values[M] (of the real dtype, ascending), vectors. eigvalsh: the values alone.
//     svd: a -> u[M, C], s[K] (of the real dtype, descending), vh[D, N]; integers[0]: 1 when C is M and D is N, else
//     both are K. svdvals: s alone.
//     LinAlgError where a matrix has none of these.
//   fft: the last dimension, complex to complex, of one length; the output may be the input. integers[0]: 1 for the
//     inverse direction. rfft: real to complex, forward; `shape` has the length of the input. irfft: complex to real,
//     inverse; `shape` has the length of the output. scalars[0]: what results are multiplied by.
struct Launch {
  Op op{};
  Dtype dtype{};  // the dtype that selects the kernel: of the operands after promotion
  Dims shape;
  int noperands = 0;
  int reduced = 0;  // reductions: how many trailing dimensions are reduced
  int outputs = 1;  // linear algebra: how many of the operands
  std::array<Operand, 4> operands;
  std::array<std::int64_t, 4> integers{};
  std::array<double, 2> scalars{};
  std::vector<std::int64_t> table = {};  // few numbers, which travel with the launch
  Stream* stream = nullptr;

  std::span<const Operand> inputs() const noexcept {
    return {operands.data(), static_cast<std::size_t>(noperands - 1)};
  }
  const Operand& output() const noexcept { return operands[static_cast<std::size_t>(noperands - 1)]; }
  Operand& output() noexcept { return operands[static_cast<std::size_t>(noperands - 1)]; }
};

// A host kernel runs when it is called; an accelerator's enqueues on `launch.stream`.
using Kernel = void (*)(const Launch& launch);
// Throws NotImplementedError when what an operation needs besides is not there, such as a library.
using Requirement = void (*)();

class KernelTable {
 public:
  // `parent`: where to look for what is not here (sim inherits native's host kernels); null for none. Not owned.
  explicit KernelTable(const KernelTable* parent = nullptr) noexcept : parent_(parent) {}
  void set(Op op, Dtype dtype, Kernel kernel) noexcept { at(op, dtype) = kernel; }
  // Checked when the operation is launched, before anything is enqueued.
  void set_requirement(Op op, Requirement requirement) noexcept {
    requirements_[static_cast<std::size_t>(op)] = requirement;
  }
  // Null when there is none.
  Requirement requirement(Op op) const noexcept {
    const Requirement one = requirements_[static_cast<std::size_t>(op)];
    return one || !parent_ ? one : parent_->requirement(op);
  }
  // Null when there is none.
  Kernel find(Op op, Dtype dtype) const noexcept {
    Kernel kernel = kernels_[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)];
    return kernel || !parent_ ? kernel : parent_->find(op, dtype);
  }

 private:
  Kernel& at(Op op, Dtype dtype) noexcept {
    return kernels_[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)];
  }
  std::array<std::array<Kernel, kDtypeCount>, kOpCount> kernels_{};
  std::array<Requirement, kOpCount> requirements_{};
  const KernelTable* parent_;
};

}  // namespace crossdock
