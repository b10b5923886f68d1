// What kernels are given, one struct each, by value; read by the host's compiler and by NVRTC alike.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

// Of a nest (runtime/nest.h). No array has more dimensions of two elements and more: it would not fit into memory; a
// launch over more, as broadcasting can make them, is done in parts.
inline constexpr int kMaxKernelNdim = 24;

// The first failure that a stream's kernels have found; in page-locked host memory that the device sees.
struct ErrorRecord {
  int taken;                // by the first to fail; the host frees it when it has read the rest
  int whole;                // the rest is written
  int op;                   // crossdock::Op
  int cause;                // Failure
  int ndim;                 // linalg: of the stack
  std::int64_t numbers[4];  // what the message needs
};
enum class Failure : int {
  index = 1,   // numbers: the index, its axis, the axis' extent, whether the index is unsigned
  offset = 2,  // what was to write the offsets has failed
  linalg = 3,  // numbers: what LAPACK calls info, the matrix' place in its stack (the last dimensions of it)
};

// One array, or one scalar that travels with the launch.
struct KernelOperand {
  unsigned char* data;  // null: `immediate` is the value
  alignas(16) unsigned char immediate[16];
};

// Contiguous operands and scalars, all of one length.
template <int n>
struct FlatArgs {
  std::int64_t size;  // elements
  ErrorRecord* errors;
  KernelOperand operands[n];  // inputs, then the output
};

// Operands with strides in bytes; the last dimension is the innermost.
template <int n>
struct NestArgs {
  std::int64_t size;  // elements, at least 1
  ErrorRecord* errors;
  int ndim;  // at least 1
  KernelOperand operands[n];
  std::int64_t shape[kMaxKernelNdim];
  std::int64_t strides[n][kMaxKernelNdim];
};

}  // namespace crossdock::cuda
