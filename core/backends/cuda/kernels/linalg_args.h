// What the kernels of linear algebra are given.
#pragma once

#include "kernels/args.h"

namespace crossdock::cuda {

inline constexpr int kLinalgThreads = 512;  // at most

// Two dimensions of an operand.
struct MatrixOperand {
  unsigned char* data;  // of the stack's first matrix
  std::int64_t row_step, column_step;
};

// One block does one matrix after the other, in memory of its own where columns lie in one piece each.
struct LinalgArgs {
  int rows, columns;
  int choice;           // integers[0] of the launch
  int ndim;             // of the stack
  std::int64_t count;   // matrices
  unsigned char* work;  // `work_nbytes` for each block
  std::int64_t work_nbytes;
  unsigned long long* failed;  // the first matrix that fails, above 32 bits of info; ~0: none
  MatrixOperand operands[4];
  std::int64_t shape[kMaxKernelNdim], strides[4][kMaxKernelNdim];
};

// Says what `failed` holds, when all blocks are done.
struct LinalgReportArgs {
  ErrorRecord* errors;
  const unsigned long long* failed;
  int op;                 // crossdock::Op
  int ndim;               // of the stack
  std::int64_t shape[3];  // its last dimensions
};

}  // namespace crossdock::cuda
