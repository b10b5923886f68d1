// where: elements of one or the other operand, by their size; the condition's bytes are true unless 0.
#pragma once

#include "kernels/bytes.h"
#include "kernels/device.h"
#include "kernels/indexed_args.h"
#include "kernels/lanes.h"

namespace crossdock::cuda {

template <class T, int lanes, int steps>
__global__ void flat_where(const FlatArgs<4> args) {
  const void *const condition = args.operands[0].data, *const yes = args.operands[1].data;
  const void* const no = args.operands[2].data;
  void* const to = args.operands[3].data;
  const std::int64_t packs = args.size / lanes, threads = grid_threads();
  for (std::int64_t first = grid_thread(); first < packs; first += steps * threads) {
    Pack<bool, lanes> chosen[steps];
    Pack<T, lanes> a[steps], b[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      chosen[k] = condition ? load_pack<bool, lanes>(condition, i) : repeat<bool, lanes>(args.operands[0].immediate);
      a[k] = yes ? load_pack<T, lanes>(yes, i) : repeat<T, lanes>(args.operands[1].immediate);
      b[k] = no ? load_pack<T, lanes>(no, i) : repeat<T, lanes>(args.operands[2].immediate);
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      CROSSDOCK_UNROLL
      for (int lane = 0; lane < lanes; ++lane)
        a[k].elements[lane] = chosen[k].elements[lane] ? a[k].elements[lane] : b[k].elements[lane];
      store_pack(to, i, a[k]);
    }
  }
  if constexpr (lanes > 1) {
    const std::int64_t i = packs * lanes + grid_thread();
    if (i >= args.size) return;
    const auto chosen = condition ? load_pack<bool, 1>(condition, i) : repeat<bool, 1>(args.operands[0].immediate);
    const auto a = yes ? load_pack<T, 1>(yes, i) : repeat<T, 1>(args.operands[1].immediate);
    const auto b = no ? load_pack<T, 1>(no, i) : repeat<T, 1>(args.operands[2].immediate);
    store_pack(to, i, chosen.elements[0] ? a : b);
  }
}

template <class T, int steps>
__global__ void nest_where(const IndexedArgs<4> args) {
  const auto threads = static_cast<std::uint32_t>(grid_threads());
  const auto condition = load_immediate<bool>(args.operands[0].immediate);
  const auto yes = load_immediate<T>(args.operands[1].immediate), no = load_immediate<T>(args.operands[2].immediate);
  for (auto first = static_cast<std::uint32_t>(grid_thread()); first < args.size; first += steps * threads) {
    Offsets<4> at[steps];
    find_offsets(args, first, threads, at);
    bool chosen[steps];
    T a[steps], b[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads >= args.size) continue;
      chosen[k] = args.operands[0].data ? load<bool>(args.operands[0].data + at[k].at[0]) : condition;
      a[k] = args.operands[1].data ? load<T>(args.operands[1].data + at[k].at[1]) : yes;
      b[k] = args.operands[2].data ? load<T>(args.operands[2].data + at[k].at[2]) : no;
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads < args.size) store<T>(args.operands[3].data + at[k].at[3], chosen[k] ? a[k] : b[k]);
    }
  }
}

}  // namespace crossdock::cuda
