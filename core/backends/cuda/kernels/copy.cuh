// Elements of one dtype as another (element.h: convert), or the same in other places.
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/indexed_args.h"
#include "kernels/lanes.h"

namespace crossdock::cuda {

template <class To, class From, int lanes, int steps>
__global__ void flat_copy(const FlatArgs<2> args) {
  const void* const from = args.operands[0].data;
  void* const to = args.operands[1].data;
  const std::int64_t packs = args.size / lanes, threads = grid_threads();
  for (std::int64_t first = grid_thread(); first < packs; first += steps * threads) {
    Pack<From, lanes> a[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i < packs) a[k] = from ? load_pack<From, lanes>(from, i) : repeat<From, lanes>(args.operands[0].immediate);
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      Pack<To, lanes> result;
      CROSSDOCK_UNROLL
      for (int lane = 0; lane < lanes; ++lane) result.elements[lane] = convert<To, From>(a[k].elements[lane]);
      store_pack(to, i, result);
    }
  }
  if constexpr (lanes > 1) {
    const std::int64_t i = packs * lanes + grid_thread();
    if (i >= args.size) return;
    const auto a = from ? load_pack<From, 1>(from, i) : repeat<From, 1>(args.operands[0].immediate);
    store_pack(to, i, Pack<To, 1>{convert<To, From>(a.elements[0])});
  }
}

template <class To, class From, int steps>
__global__ void nest_copy(const IndexedArgs<2> args) {
  const auto threads = static_cast<std::uint32_t>(grid_threads());
  const auto scalar = repeat<From, 1>(args.operands[0].immediate).elements[0];
  for (auto first = static_cast<std::uint32_t>(grid_thread()); first < args.size; first += steps * threads) {
    Offsets<2> at[steps];
    find_offsets(args, first, threads, at);
    Raw<From> a[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads >= args.size) continue;
      const unsigned char* const from = args.operands[0].data;
      a[k] = from ? load_pack<From, 1>(from + at[k].at[0], 0).elements[0] : scalar;
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads >= args.size) continue;
      store_pack(args.operands[1].data + at[k].at[1], 0, Pack<To, 1>{convert<To, From>(a[k])});
    }
  }
}

}  // namespace crossdock::cuda
