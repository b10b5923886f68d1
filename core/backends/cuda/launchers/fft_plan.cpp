#include "fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace crossdock::cuda {
namespace {

bool is_smooth(std::int64_t n) noexcept {
  for (const int prime : {2, 3, 5, 7}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

// Radices near to each other, none above `most`; false when there are none for so many passes.
bool split(std::int64_t length, int passes, int most, std::vector<int>& radices) {
  if (passes == 1) {
    if (length > most) return false;
    radices.push_back(static_cast<int>(length));
    return true;
  }
  const double even = std::pow(static_cast<double>(length), 1.0 / passes);
  std::vector<int> candidates;
  for (int radix = 2; radix <= most; ++radix) {
    if (length % radix == 0) candidates.push_back(radix);
  }
  std::ranges::sort(candidates, {}, [&](int radix) { return std::abs(std::log(radix / even)); });
  for (const int radix : candidates) {
    radices.push_back(radix);
    if (split(length / radix, passes - 1, most, radices)) return true;
    radices.pop_back();
  }
  return false;
}

}  // namespace

FftPlan::FftPlan(std::int64_t length, int most) {
  if (!is_smooth(length)) return;
  if (length <= most) {
    radices.push_back(static_cast<int>(length));
    return;
  }
  // Several columns side by side, so that what is read together lies together.
  const int widest = most / 4;
  for (int passes = 2; passes <= 8; ++passes) {
    if (split(length, passes, widest, radices)) return;
  }
}

std::vector<int> butterflies(int radix) {
  std::vector<int> factors;
  for (const int factor : {7, 5, 3}) {
    for (; radix % factor == 0; radix /= factor) factors.push_back(factor);
  }
  while (radix > 1) {
    const int factor = radix == 16 ? 4 : radix % 8 == 0 ? 8 : radix;
    factors.push_back(factor);
    radix /= factor;
  }
  return factors;
}

std::int64_t smooth_length(std::int64_t least) {
  const auto needed = static_cast<std::uint64_t>(least);
  std::uint64_t best = std::bit_ceil(needed);
  for (std::uint64_t seven = 1; seven < best; seven *= 7) {
    for (std::uint64_t five = seven; five < best; five *= 5) {
      for (std::uint64_t three = five; three < best; three *= 3) {
        const std::uint64_t twos = std::bit_ceil((needed + three - 1) / three);
        best = std::min(best, three * twos);
      }
    }
  }
  return static_cast<std::int64_t>(best);
}

}  // namespace crossdock::cuda
