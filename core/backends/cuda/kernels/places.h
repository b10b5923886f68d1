// Places: what gather and scatter are given to say where elements are (runtime/kernel.h).
#pragma once

#include "kernels/args.h"

namespace crossdock::cuda {

enum class PlaceKind : int { offsets, int8, int16, int32, int64, uint8, uint16, uint32, uint64 };

struct Places {
  int op;  // crossdock::Op
  PlaceKind kind;
  std::int64_t low, high;           // of offsets: the least and the greatest that lead to an element
  std::int64_t extent, step, axis;  // of indexes: along an axis, `step` bytes apart, which has a number
};

// An offset that leads nowhere, whatever is added to it once: where an index is outside, nothing is read or written.
inline constexpr std::int64_t kNowhere = -(std::int64_t{1} << 62);

struct GatherArgs {
  NestArgs<3> nest;  // data, places, output; index_offsets: indexes, offsets so far (data null: none), output
  Places places;
};

// Scatter's table: which element has a place, the last one that comes there. Slots are numbered by the place, or hashed
// where places are many and elements few.
struct Claims {
  std::int64_t* owners;        // of each slot: the element's number; -1: none
  unsigned long long* keys;    // of each slot: whose it is; ~0: nobody's; null: slots are numbered
  std::int64_t slots;          // hashed: a power of two
  const unsigned char* first;  // the lowest place
  std::int64_t grain;          // bytes from a place to the next, at least
};
struct ClaimArgs {
  NestArgs<3> nest;  // places, the target, the offsets (int64, C order) that the places lead to
  Places places;
  Claims claims;
  const std::int64_t* offsets;  // element 0
  unsigned long long* bad;      // the first element whose place is outside; ~0: none
};

}  // namespace crossdock::cuda
