// Runs of bytes moved in the largest words that both places are multiples of, apart from a head and a tail.
#pragma once

#include "kernels/device.h"
#include "kernels/lanes.h"
#include "kernels/pack_args.h"

namespace crossdock::cuda {

// One of a template's instances, as all kernels are.
template <int steps>
__global__ void pack(const PackArgs args) {
  const PackRun run = args.runs[blockIdx.y];
  const unsigned char* from = args.from + run.from;
  unsigned char* to = args.to + run.to;
  const auto differs = reinterpret_cast<std::uint64_t>(from) ^ reinterpret_cast<std::uint64_t>(to);
  const auto move = [&](auto word) {
    using Word = decltype(word);
    constexpr std::int64_t size = sizeof(Word);
    std::int64_t head = static_cast<std::int64_t>(-reinterpret_cast<std::uint64_t>(to) & (size - 1));
    if (head > run.nbytes) head = run.nbytes;
    const std::int64_t words = (run.nbytes - head) / size, threads = grid_threads(), thread = grid_thread();
    const auto* source = reinterpret_cast<const Word*>(from + head);
    auto* target = reinterpret_cast<Word*>(to + head);
    for (std::int64_t first = thread; first < words; first += steps * threads) {
      Word moved[steps];
      CROSSDOCK_UNROLL
      for (int k = 0; k < steps; ++k) {
        if (first + k * threads < words) moved[k] = source[first + k * threads];
      }
      CROSSDOCK_UNROLL
      for (int k = 0; k < steps; ++k) {
        if (first + k * threads < words) target[first + k * threads] = moved[k];
      }
    }
    if (thread < head) to[thread] = from[thread];
    const std::int64_t last = head + words * size + thread;
    if (last < run.nbytes) to[last] = from[last];
  };
  if (differs % 16 == 0)
    move(Words<16>{});
  else if (differs % 4 == 0)
    move(Words<4>{});
  else
    move(std::uint8_t{});
}

}  // namespace crossdock::cuda
