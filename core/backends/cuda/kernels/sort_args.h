// What the kernels of sort, argsort and searchsorted are given; read by the host's compiler and by NVRTC alike.
#pragma once

#include "kernels/order_key.h"
#include "kernels/reduction_args.h"

namespace crossdock::cuda {

inline constexpr int kSortThreads = 256;  // of each block
inline constexpr int kShortRow = 1024;    // elements that a block sorts in shared memory
inline constexpr int kRadixBits = 8;      // of a digit
inline constexpr int kRadix = 1 << kRadixBits;
inline constexpr int kRadixItems = 16;  // elements of a thread
inline constexpr int kRadixTile = kSortThreads * kRadixItems;

// Rows are sorted along their `n` elements; `rows` holds a launch's rows, of which [first, first + count) are done.
struct RowsArgs {
  const unsigned char* input;
  unsigned char* output;
  std::int64_t first, count, n;
  std::int64_t input_stride, output_stride;  // bytes, along a row
  bool complex;
  bool indices;  // write places, not elements
  int itemsize;
  OrderKey order;
  NestDims<2> rows;  // input, output
};

// Rows of at most kShortRow elements, 2^log2 of which a block has room for each.
struct ShortSortArgs {
  RowsArgs rows;
  int log2;
};

// What part of an element's order goes into the keys.
enum class KeyPart : int { real, imaginary, nans };

// Keys of the elements whose places are in `indices` (null: all in order, whose places are written to it).
struct KeysArgs {
  RowsArgs rows;
  unsigned char* keys;
  unsigned char* indices;
  KeyPart part;
  bool begin;  // write indices, in order
};

// One digit of all keys: counted, summed up (by a scan), moved.
struct RadixArgs {
  const unsigned char* keys;
  const unsigned char* indices;
  unsigned char* keys_out;
  unsigned char* indices_out;
  std::int64_t* counts;  // by rows, digits, tiles; summed up when keys are moved
  std::int64_t rows, n, tiles;
  int shift;
};

// Elements or places, as `indices` orders them.
struct SortedArgs {
  RowsArgs rows;
  const unsigned char* indices;
};

// The places of values in a sorted array.
struct SearchArgs {
  const unsigned char* sorted;
  const unsigned char* values;
  unsigned char* output;
  std::int64_t sorted_size, sorted_stride;
  std::int64_t size;
  bool right;
  OrderKey order;
  NestDims<2> nest;  // values, output
};

}  // namespace crossdock::cuda
