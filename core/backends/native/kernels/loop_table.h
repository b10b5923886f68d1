// LoopTable: the inner loops, compiled once per instruction set level (levels/*.cpp) and gathered in one table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crossdock/runtime/dtype.h"
#include "crossdock/runtime/op.h"
#include "fourier_loops.h"

namespace crossdock::native {

// One dimension of `n` elements: pointers to the first elements (inputs, then the output) and strides in bytes.
// Every pointer and stride is allowed. The output may be an input (same pointer and stride), not overlap it otherwise.
using Loop = void (*)(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n);

// Combine `n` contiguous, aligned elements with an accumulator, or with one accumulator each.
using ReduceLoop = void (*)(const std::byte* elements, std::int64_t n, std::byte* accumulator);
using ReduceRowLoop = void (*)(const std::byte* elements, std::int64_t n, std::byte* accumulators);

// A reduction of one dtype. `element` is the dtype that the loops take: others are converted before. Accumulators of
// parts are combined by the reduction of dtype `accumulator`.
struct Reduction {
  Dtype element;
  Dtype accumulator;
  ReduceLoop reduce;  // null: there is no such reduction
  ReduceRowLoop reduce_row;
  std::byte identity[16];  // of type `accumulator`
};

// argmax or argmin of one dtype, NaN before all numbers. The best value of a run comes from max or min of `element`.
struct ArgReduction {
  Dtype element;
  // The first of `n` contiguous, aligned elements that equals `value` (NaN equals NaN here); it is there. Null: there
  // is no such reduction.
  std::int64_t (*find)(const std::byte* elements, std::int64_t n, const std::byte* value);
  bool (*better)(const std::byte* a, const std::byte* b);
  // Where element i is better than bests[i], replaces that and indices[i].
  void (*update)(const std::byte* elements, std::int64_t n, std::int64_t index, std::byte* bests,
                 std::int64_t* indices);
};

// The place that each of `n` unsigned keys has when they are sorted stably, as numbers of the keys' type.
using RankLoop = void (*)(const std::byte* keys, std::byte* places, std::int64_t n);

// Unsigned keys, contiguous and aligned. `scratch` has room for as many and for 64 bytes more.
struct KeySort {
  void (*sort)(std::byte* keys, std::byte* scratch, std::int64_t n);  // null: there is none
  // Moves keys so that none before the place that it returns is larger than one behind it; n when all are the same.
  // For at least kFewestToSplit keys.
  std::int64_t (*split)(std::byte* keys, std::byte* scratch, std::int64_t n);
};
inline constexpr std::int64_t kFewestToSplit = 128;

// Deviations from a centre, and their squares, added to sums. Elements are contiguous and aligned, float or double.
struct Deviations {
  void (*along)(const std::byte* elements, std::int64_t n, double centre, double* sum, double* squares);
  void (*across)(const std::byte* elements, std::int64_t n, const double* centres, double* sums, double* squares);
};

// A small matrix product from packed panels: c[i][j] += sum over d of a[d][i] * b[d][j], for i < rows and j < columns.
// Panels and c are contiguous but for the rows of c, which are `pitch` elements apart. Vector-aligned.
struct GemmKernel {
  Dtype element;
  int rows, columns;
  void (*run)(const std::byte* a, const std::byte* b, std::byte* c, std::int64_t pitch, std::int64_t depth);
};

// to[column][row] = from[row][column]; rows of each are contiguous and `pitch` bytes apart. They do not overlap.
using TransposeLoop = void (*)(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch,
                               std::int64_t rows, std::int64_t columns);

// out[i] = so_far[i] (null: none) + stride * index[i], which counts from the end when it is negative. False when one is
// outside of [-extent, extent). All contiguous and aligned; out may be so_far.
using OffsetLoop = bool (*)(const std::byte* index, const std::int64_t* so_far, std::int64_t* out, std::int64_t n,
                            std::int64_t extent, std::int64_t stride);

// to[column * rows + row] = from[row][column], for a number of rows that is the loop's own.
using InterleaveLoop = void (*)(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t columns);

// Copies `n` bytes that nobody will read soon; a fence (stream.h) makes them known to other threads.
using StreamLoop = void (*)(const std::byte* from, std::byte* to, std::int64_t n);

struct LoopTable {
  Loop elementwise[kOpCount][kDtypeCount];
  Loop cast[kDtypeCount][kDtypeCount];  // null: goes through another dtype
  Loop move[17];                        // by itemsize: a copy
  TransposeLoop transpose[17];          // by itemsize
  TransposeLoop stream_transpose[17];   // as `stream`; rows of `to` begin on multiples of 64 bytes
  InterleaveLoop interleave[5][17];     // by rows (2, 3, 4) and itemsize (1, 2, 4, 8)
  StreamLoop stream;
  Loop where[17];                               // by itemsize: condition, a, b, output
  OffsetLoop offsets[kDtypeCount];              // of integers
  Reduction reductions[kOpCount][kDtypeCount];  // sum, prod, max, min, any, all
  ArgReduction arg_reductions[2][kDtypeCount];  // argmax, argmin
  RankLoop rank[2];                             // of 32 and 64 bits
  KeySort key_sort[2];                          // of 32 and 64 bits
  Deviations deviations[kDtypeCount];           // float32, float64
  GemmKernel gemm[kDtypeCount];
  FourierLoops<float> fourier32;
  FourierLoops<double> fourier64;
};

// The table for this CPU.
const LoopTable& loops() noexcept;

// Each level has these; they fill their part of a table.
#define CROSSDOCK_DECLARE_LEVEL(level)            \
  namespace level {                               \
  void register_arithmetic(LoopTable& table);     \
  void register_integers(LoopTable& table);       \
  void register_comparisons(LoopTable& table);    \
  void register_rounding(LoopTable& table);       \
  void register_exponentials(LoopTable& table);   \
  void register_circular(LoopTable& table);       \
  void register_hyperbolic(LoopTable& table);     \
  void register_powers(LoopTable& table);         \
  void register_division(LoopTable& table);       \
  void register_casts(LoopTable& table);          \
  void register_moves(LoopTable& table);          \
  void register_transposes(LoopTable& table);     \
  void register_interleaves(LoopTable& table);    \
  void register_indices(LoopTable& table);        \
  void register_reductions(LoopTable& table);     \
  void register_arg_reductions(LoopTable& table); \
  void register_deviations(LoopTable& table);     \
  void register_ranks(LoopTable& table);          \
  void register_sorting(LoopTable& table);        \
  void register_gemm(LoopTable& table);           \
  void register_fft_passes(LoopTable& table);     \
  void register_fft_moves(LoopTable& table);      \
  void register_fft_reals(LoopTable& table);      \
  }

#ifdef __x86_64__
CROSSDOCK_DECLARE_LEVEL(v2)
CROSSDOCK_DECLARE_LEVEL(v3)
CROSSDOCK_DECLARE_LEVEL(v4)
#else
CROSSDOCK_DECLARE_LEVEL(generic)
#endif
#undef CROSSDOCK_DECLARE_LEVEL

// Loops around libm calls, which choose their instructions themselves: compiled once.
void register_libm_real(LoopTable& table);
void register_libm_complex(LoopTable& table);

}  // namespace crossdock::native
