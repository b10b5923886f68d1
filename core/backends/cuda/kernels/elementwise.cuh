// A functor applied to every element: of contiguous operands in packs of `lanes`, `steps` packs of each thread in
// flight together; of others one by one, `steps` at a time.
#pragma once

#include "crossdock/functors/arithmetic.h"
#include "crossdock/functors/bitwise.h"
#include "crossdock/functors/comparison.h"
#include "crossdock/functors/division.h"
#include "crossdock/functors/exponential.h"
#include "crossdock/functors/logical.h"
#include "crossdock/functors/next_after.h"
#include "crossdock/functors/parts.h"
#include "crossdock/functors/predicate.h"
#include "crossdock/functors/rounding.h"
#include "crossdock/functors/trigonometric.h"
#include "kernels/device.h"
#include "kernels/indexed_args.h"
#include "kernels/lanes.h"

namespace crossdock::cuda {

// What a functor's result is stored as: like its operands where it is what they are computed with.
template <class S, class R>
struct StoredResult {
  using type = R;
};
template <>
struct StoredResult<functors::Float16, float> {
  using type = functors::Float16;
};
template <>
struct StoredResult<functors::BFloat16, float> {
  using type = functors::BFloat16;
};
template <class F, class S>
using UnaryResult = typename StoredResult<S, decltype(F{}(Computed<S>{}))>::type;
template <class F, class S>
using BinaryResult = typename StoredResult<S, decltype(F{}(Computed<S>{}, Computed<S>{}))>::type;

// Of 16-bit numbers the neighbour in their own format.
template <class S>
struct NextAfterIn {
  CROSSDOCK_HD float operator()(float a, float b) const {
    return widen<S>(functors::NextAfter{}(narrow<S>(a), narrow<S>(b)));
  }
};

template <class F, class S, int lanes, int steps>
__global__ void flat_unary(const FlatArgs<2> args) {
  using R = UnaryResult<F, S>;
  const void* const from = args.operands[0].data;
  void* const to = args.operands[1].data;
  const std::int64_t packs = args.size / lanes, threads = grid_threads();
  for (std::int64_t first = grid_thread(); first < packs; first += steps * threads) {
    Pack<S, lanes> a[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i < packs) a[k] = from ? load_pack<S, lanes>(from, i) : repeat<S, lanes>(args.operands[0].immediate);
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      Pack<R, lanes> result;
      CROSSDOCK_UNROLL
      for (int lane = 0; lane < lanes; ++lane) result.elements[lane] = narrow<R>(F{}(widen<S>(a[k].elements[lane])));
      store_pack(to, i, result);
    }
  }
  if constexpr (lanes > 1) {
    const std::int64_t i = packs * lanes + grid_thread();
    if (i >= args.size) return;
    const auto a = from ? load_pack<S, 1>(from, i) : repeat<S, 1>(args.operands[0].immediate);
    store_pack(to, i, Pack<R, 1>{narrow<R>(F{}(widen<S>(a.elements[0])))});
  }
}

template <class F, class S, int lanes, int steps>
__global__ void flat_binary(const FlatArgs<3> args) {
  using R = BinaryResult<F, S>;
  const void *const left = args.operands[0].data, *const right = args.operands[1].data;
  void* const to = args.operands[2].data;
  const std::int64_t packs = args.size / lanes, threads = grid_threads();
  for (std::int64_t first = grid_thread(); first < packs; first += steps * threads) {
    Pack<S, lanes> a[steps], b[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      a[k] = left ? load_pack<S, lanes>(left, i) : repeat<S, lanes>(args.operands[0].immediate);
      b[k] = right ? load_pack<S, lanes>(right, i) : repeat<S, lanes>(args.operands[1].immediate);
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      const std::int64_t i = first + k * threads;
      if (i >= packs) continue;
      Pack<R, lanes> result;
      CROSSDOCK_UNROLL
      for (int lane = 0; lane < lanes; ++lane)
        result.elements[lane] = narrow<R>(F{}(widen<S>(a[k].elements[lane]), widen<S>(b[k].elements[lane])));
      store_pack(to, i, result);
    }
  }
  if constexpr (lanes > 1) {
    const std::int64_t i = packs * lanes + grid_thread();
    if (i >= args.size) return;
    const auto a = left ? load_pack<S, 1>(left, i) : repeat<S, 1>(args.operands[0].immediate);
    const auto b = right ? load_pack<S, 1>(right, i) : repeat<S, 1>(args.operands[1].immediate);
    store_pack(to, i, Pack<R, 1>{narrow<R>(F{}(widen<S>(a.elements[0]), widen<S>(b.elements[0])))});
  }
}

template <class F, class S, int steps>
__global__ void nest_unary(const IndexedArgs<2> args) {
  using R = UnaryResult<F, S>;
  const auto threads = static_cast<std::uint32_t>(grid_threads());
  const auto scalar = load_immediate<S>(args.operands[0].immediate);
  for (auto first = static_cast<std::uint32_t>(grid_thread()); first < args.size; first += steps * threads) {
    Offsets<2> at[steps];
    find_offsets(args, first, threads, at);
    Computed<S> a[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads >= args.size) continue;
      a[k] = args.operands[0].data ? load<S>(args.operands[0].data + at[k].at[0]) : scalar;
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads < args.size) store<R>(args.operands[1].data + at[k].at[1], F{}(a[k]));
    }
  }
}

template <class F, class S, int steps>
__global__ void nest_binary(const IndexedArgs<3> args) {
  using R = BinaryResult<F, S>;
  const auto threads = static_cast<std::uint32_t>(grid_threads());
  const auto left = load_immediate<S>(args.operands[0].immediate);
  const auto right = load_immediate<S>(args.operands[1].immediate);
  for (auto first = static_cast<std::uint32_t>(grid_thread()); first < args.size; first += steps * threads) {
    Offsets<3> at[steps];
    find_offsets(args, first, threads, at);
    Computed<S> a[steps], b[steps];
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads >= args.size) continue;
      a[k] = args.operands[0].data ? load<S>(args.operands[0].data + at[k].at[0]) : left;
      b[k] = args.operands[1].data ? load<S>(args.operands[1].data + at[k].at[1]) : right;
    }
    CROSSDOCK_UNROLL
    for (int k = 0; k < steps; ++k) {
      if (first + k * threads < args.size) store<R>(args.operands[2].data + at[k].at[2], F{}(a[k], b[k]));
    }
  }
}

}  // namespace crossdock::cuda
