#include "checksum.h"

#include <cstring>

namespace crossdock::sim {

// Several sums side by side, so that a multiplication need not wait for the one before.
std::uint64_t checksum(const std::byte* data, std::size_t nbytes) noexcept {
  constexpr int kLanes = 4;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t sums[kLanes] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof sums <= nbytes; at += sizeof sums) {
    std::uint64_t words[kLanes];
    std::memcpy(words, data + at, sizeof words);
    for (int i = 0; i < kLanes; ++i) sums[i] = (sums[i] ^ words[i]) * kOdd;
  }
  for (; at < nbytes; ++at) sums[at % kLanes] = (sums[at % kLanes] ^ static_cast<std::uint64_t>(data[at])) * kOdd;
  std::uint64_t all = nbytes;
  for (std::uint64_t sum : sums) all = (all ^ sum) * kOdd;
  return all;
}

}  // namespace crossdock::sim
