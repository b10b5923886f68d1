// FftPlan: by which passes a transform goes.
#pragma once

#include <cstdint>
#include <vector>

namespace crossdock::cuda {

// One after the other; each radix has factors 2, 3, 5 and 7 alone.
struct FftPlan {
  // `most`: elements that a block has room for.
  FftPlan(std::int64_t length, int most);

  std::vector<int> radices;  // empty when the length has other factors, or needs too many passes
};

// 8, 7, 5, 4, 3 and 2 whose product a radix is.
std::vector<int> butterflies(int radix);

// The least length from `least` on that a plan has passes for.
std::int64_t smooth_length(std::int64_t least);

}  // namespace crossdock::cuda
