// What the kernels of fft, rfft and irfft are given.
#pragma once

#include "kernels/args.h"

namespace crossdock::cuda {

// A pass of a transform of `length` = ... * radix * `before`: transforms of `radix` elements each, called columns here,
// which a block has in shared memory, several side by side.
inline constexpr int kFftThreads = 256;
inline constexpr int kFftNbytes = 16 * 1024;  // of a block's columns; twice, since they go from one place to another
inline constexpr int kFftMostColumns = 256;   // of a block
inline constexpr int kFftMostFactors = 16;

enum class FftForm : int {
  complex,
  real,       // the imaginary parts are 0, or not wanted
  hermitian,  // the first half is there, the rest are its conjugates
};

struct FftSide {
  unsigned char* data;
  std::int64_t step;      // in bytes, from one of a row's elements to the next
  std::int64_t row_step;  // likewise to the next row of this part of the launch; 0: as the launch's rows lie
  std::int64_t count;     // elements of a row; those beyond are zeros that are not there
  FftForm form;
  bool down;            // threads next to each other go down a column, not from one to the next
  const void* factors;  // complex numbers, one for each of a row's elements; may be null
};

struct FftArgs {
  int ndim;  // of the launch's rows
  bool inverse;
  int radix, columns, pitch;               // pitch: elements from one of a column to the next in shared memory
  int nfactors, factors[kFftMostFactors];  // of the radix: 2, 3, 4, 5, 7 and 8
  std::int64_t length, before;
  std::int64_t first_row, rows;  // of this part
  const void* roots;             // the powers of the root of unity of `radix`
  double scale;
  FftSide in, out;
  std::int64_t shape[kMaxKernelNdim], strides[2][kMaxKernelNdim];
};

enum class FftTable : int {
  roots,   // exp(-2 pi i k / n)
  chirp,   // exp(-pi i k^2 / n), or its conjugate
  filter,  // the chirp's conjugate, for k from -n to n around 0, in a row of `count`
};
struct FftTableArgs {
  void* out;
  FftTable kind;
  bool conjugate;
  std::int64_t n, count;
};

}  // namespace crossdock::cuda
