// Sums and products of all elements so far, along lines. Results are the same each time: what is added to what depends
// on the launch alone.
#pragma once

#include "crossdock/functors/elementary.h"
#include "kernels/accumulators.h"
#include "kernels/any_dtype.h"
#include "kernels/device.h"
#include "kernels/nest_place.h"
#include "kernels/scan_args.h"
#include "kernels/shuffle.h"

namespace crossdock::cuda {

// A product of floating-point elements, and whether one was infinite or NaN, whether one was 0. Products of some
// elements can overflow or vanish where that of all so far does not change any more: taken one after the other they
// would leave a zero a zero, and what is infinite infinite.
template <class W>
struct Product {
  W value;
  std::uint64_t marks;
};
inline constexpr std::uint64_t kWild = 1, kZero = 2;

CROSSDOCK_HD bool is_wild(double value) { return !(value - value == 0); }
CROSSDOCK_HD bool is_wild(functors::Complex<double> value) { return is_wild(value.re) || is_wild(value.im); }
CROSSDOCK_HD bool is_nan(double value) { return value != value; }
CROSSDOCK_HD bool is_nan(functors::Complex<double> value) { return is_nan(value.re) || is_nan(value.im); }
CROSSDOCK_HD double with_sign_of(double value, double sign) {
  return value * functors::elementary::copysign(1.0, sign);
}
CROSSDOCK_HD functors::Complex<double> with_sign_of(functors::Complex<double> value, functors::Complex<double>) {
  return value;
}

template <class W>
CROSSDOCK_HD Product<W> operator*(Product<W> a, Product<W> b) {
  Product<W> product{a.value * b.value, a.marks | b.marks};
  if (is_nan(product.value) && (product.marks & kWild) == 0) {
    const bool vanished = b.value == W{} && (b.marks & kZero) == 0;
    if (a.value == W{} || vanished) product.value = with_sign_of(a.value, b.value);
  }
  return product;
}

// Integers wrap in their own width, at least 32 bits; floating-point numbers accumulate in 64 bits.
template <class F, class E, bool floating>
struct ScanAccumulatorOf {
  using type = functors::Wrapping<E>;
  CROSSDOCK_HD static type of(E element) { return functors::cast<type>(element); }
  CROSSDOCK_HD static type result(type a) { return a; }
};
template <class F, class E>
struct ScanAccumulatorOf<F, E, true> {
  using type = Widest<E>;
  CROSSDOCK_HD static type of(E element) { return functors::cast<type>(element); }
  CROSSDOCK_HD static type result(type a) { return a; }
};
template <class E>
struct ScanAccumulatorOf<Times, E, true> {
  using type = Product<Widest<E>>;
  CROSSDOCK_HD static type of(E element) {
    const auto value = functors::cast<Widest<E>>(element);
    return {value, is_wild(value) ? kWild : value == Widest<E>{} ? kZero : 0};
  }
  CROSSDOCK_HD static Widest<E> result(type a) { return a.value; }
};
template <class F, class T>
using Scanned =
    ScanAccumulatorOf<F, Computed<T>, functors::is_floating<Computed<T>> || functors::is_complex<Computed<T>>>;
template <class F, class T>
using ScanAccumulator = typename Scanned<F, T>::type;

template <class F, class T>
CROSSDOCK_HD ScanAccumulator<F, T> scan_identity() {
  return Scanned<F, T>::of(functors::cast<Computed<T>>(static_cast<double>(F::identity)));
}
template <class F, class T>
CROSSDOCK_HD Raw<T> scan_result(ScanAccumulator<F, T> a) {
  const auto result = Scanned<F, T>::result(a);
  return convert<T, decltype(Scanned<F, T>::result(a))>(result);
}

// `same`: the input has the output's dtype, or one of the same bits.
template <class F, class T, bool same>
__device__ __forceinline__ ScanAccumulator<F, T> scan_element(const unsigned char* at, int dtype) {
  if constexpr (same)
    return Scanned<F, T>::of(load<T>(at));
  else
    return Scanned<F, T>::of(widen<T>(load_as<T>(at, dtype)));
}

template <class F, class A>
struct BlockScan {
  A before;  // of the block's earlier threads
  A total;   // of all threads
};

// `shared`: an accumulator for each warp.
template <class F, class A>
__device__ __forceinline__ BlockScan<F, A> scan_block(A own, A identity, A* shared) {
  constexpr int kWarps = kScanThreads / kWarpSize;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize, warp = static_cast<int>(threadIdx.x) / kWarpSize;
  CROSSDOCK_UNROLL
  for (int step = 1; step < kWarpSize; step *= 2) {
    const A other = shuffle_up(own, step);
    if (lane >= step) own = F{}(other, own);
  }
  if (lane == kWarpSize - 1) shared[warp] = own;
  A before = shuffle_up(own, 1);
  if (lane == 0) before = identity;
  __syncthreads();
  A earlier = identity, total = identity;
  CROSSDOCK_UNROLL
  for (int i = 0; i < kWarps; ++i) {
    if (i == warp) earlier = total;
    total = F{}(total, shared[i]);
  }
  __syncthreads();
  return {F{}(earlier, before), total};
}

// A block for each part of a line.
template <class F, class T, bool same>
__device__ __forceinline__ void scan_along(const ScanArgs& args, std::int64_t line, std::int64_t part) {
  using A = ScanAccumulator<F, T>;
  constexpr int kItems = scan_items(sizeof(A));
  __shared__ A shared[kScanThreads / kWarpSize];
  const A identity = scan_identity<F, T>();
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned char* const input = args.input + place(args.lines, args.lines.ndim, line);
  unsigned char* const output = args.output + place(args.lines, args.lines.ndim, line, 1);
  A* const totals = reinterpret_cast<A*>(args.totals) + line * args.parts;
  const std::int64_t begin = part * args.part;
  const std::int64_t end = args.length - begin < args.part ? args.length : begin + args.part;
  A carry = identity;
  if (!args.adding_up && part > 0) {
    // In order: products of floating-point numbers look at what comes first.
    const std::int64_t each = (part + kScanThreads - 1) / kScanThreads;
    const std::int64_t last = (thread + 1) * each < part ? (thread + 1) * each : part;
    for (std::int64_t i = thread * each; i < last; ++i) carry = F{}(carry, totals[i]);
    carry = scan_block<F>(carry, identity, shared).total;
  }
  CROSSDOCK_ROLLED
  for (std::int64_t tile = begin; tile < end; tile += kScanThreads * kItems) {
    const std::int64_t first = tile + thread * kItems;
    A items[kItems];
    CROSSDOCK_UNROLL
    for (int i = 0; i < kItems; ++i) {
      items[i] = first + i < end ? scan_element<F, T, same>(input + (first + i) * args.input_stride, args.input_dtype)
                                 : identity;
    }
    CROSSDOCK_UNROLL
    for (int i = 1; i < kItems; ++i) items[i] = F{}(items[i - 1], items[i]);
    const BlockScan<F, A> block = scan_block<F>(items[kItems - 1], identity, shared);
    const A before = F{}(carry, block.before);
    if (!args.adding_up) {
      CROSSDOCK_UNROLL
      for (int i = 0; i < kItems; ++i) {
        if (first + i < end)
          *reinterpret_cast<Raw<T>*>(output + (first + i) * args.output_stride) =
              scan_result<F, T>(F{}(before, items[i]));
      }
    }
    carry = F{}(carry, block.total);
  }
  if (args.adding_up && thread == 0) totals[part] = carry;
}

// A thread for each part of a line.
template <class F, class T, bool same>
__device__ __forceinline__ void scan_across(const ScanArgs& args, std::int64_t line, std::int64_t part) {
  using A = ScanAccumulator<F, T>;
  constexpr int kTogether = 4;
  const unsigned char* const input = args.input + place(args.lines, args.lines.ndim, line);
  unsigned char* const output = args.output + place(args.lines, args.lines.ndim, line, 1);
  A* const totals = reinterpret_cast<A*>(args.totals) + line;
  const std::int64_t begin = part * args.part;
  const std::int64_t end = args.length - begin < args.part ? args.length : begin + args.part;
  A carry = scan_identity<F, T>();
  if (!args.adding_up) {
    for (std::int64_t i = 0; i < part; ++i) carry = F{}(carry, totals[i * args.size]);
  }
  CROSSDOCK_ROLLED
  for (std::int64_t first = begin; first < end; first += kTogether) {
    A items[kTogether];
    CROSSDOCK_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      if (first + i < end)
        items[i] = scan_element<F, T, same>(input + (first + i) * args.input_stride, args.input_dtype);
    }
    CROSSDOCK_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      if (first + i >= end) continue;
      carry = F{}(carry, items[i]);
      if (!args.adding_up)
        *reinterpret_cast<Raw<T>*>(output + (first + i) * args.output_stride) = scan_result<F, T>(carry);
    }
  }
  if (args.adding_up) totals[part * args.size] = carry;
}

template <class F, class T, bool same>
__global__ void __launch_bounds__(kScanThreads, 4) scan(const ScanArgs args) {
  if (args.across) {
    const int width = 1 << args.width_log2, thread = static_cast<int>(threadIdx.x);
    const std::int64_t part =
        blockIdx.y * static_cast<std::int64_t>(kScanThreads >> args.width_log2) + (thread >> args.width_log2);
    if (part >= args.parts) return;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * width;
    for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * width + (thread & (width - 1)); line < args.size;
         line += step) {
      scan_across<F, T, same>(args, line, part);
    }
    return;
  }
  for (std::int64_t line = blockIdx.x; line < args.size; line += gridDim.x)
    scan_along<F, T, same>(args, line, blockIdx.y);
}

}  // namespace crossdock::cuda
