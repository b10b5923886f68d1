#include "elementwise.h"

#include "copy.h"
#include "loop_table.h"
#include "rows.h"

namespace crossdock::native {

namespace {

template <std::int64_t grain>
void run(const Launch& launch) {
  const Loop loop = loops().elementwise[static_cast<int>(launch.op)][static_cast<int>(launch.dtype)];
  for_rows(launch, grain, loop);
}

// Widens pieces of a row to float, calls the loop of float32, narrows its result. Operations that are exact or rounded
// once in float, rounded again, are rounded as if once: float has more than twice the digits.
struct ThroughFloat {
  static constexpr std::int64_t kPiece = 512;

  explicit ThroughFloat(const Launch& launch) noexcept : noperands(launch.noperands) {
    const LoopTable& table = loops();
    const int half = static_cast<int>(launch.dtype), single = static_cast<int>(Dtype::float32);
    loop = table.elementwise[static_cast<int>(launch.op)][single];
    widen = table.cast[half][single];
    if (launch.output().dtype != Dtype::bool_) narrow = table.cast[single][half];
  }

  void operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const {
    alignas(64) float buffers[kMaxOperands][kPiece];
    const int output = noperands - 1;
    std::byte* inner_pointers[kMaxOperands];
    std::int64_t inner_strides[kMaxOperands];
    for (int i = 0; i < noperands; ++i) {
      inner_pointers[i] = reinterpret_cast<std::byte*>(buffers[i]);
      inner_strides[i] = i != output && strides[i] == 0 ? 0 : static_cast<std::int64_t>(sizeof(float));
    }
    if (!narrow) inner_strides[output] = strides[output];
    for (std::int64_t done = 0; done < n; done += kPiece) {
      const std::int64_t piece = std::min(kPiece, n - done);
      for (int i = 0; i < output; ++i) {
        convert(widen, pointers[i] + done * strides[i], strides[i], inner_pointers[i], sizeof(float),
                inner_strides[i] == 0 ? 1 : piece);
      }
      std::byte* const target = pointers[output] + done * strides[output];
      if (!narrow) inner_pointers[output] = target;
      loop(inner_pointers, inner_strides, piece);
      if (narrow) convert(narrow, inner_pointers[output], sizeof(float), target, strides[output], piece);
    }
  }

  static void convert(Loop cast, std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
                      std::int64_t n) {
    std::byte* const pointers[] = {from, to};
    const std::int64_t strides[] = {from_stride, to_stride};
    cast(pointers, strides, n);
  }

  int noperands;
  Loop loop, widen, narrow = nullptr;
};

template <std::int64_t grain>
void run_through_float(const Launch& launch) {
  const ThroughFloat row(launch);
  for_rows(launch, grain, row);
}

// The same answer for all elements.
template <bool answer>
void run_constant(const Launch& launch) {
  const auto row = [](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) pointers[1][i * strides[1]] = std::byte{answer};
  };
  for_rows(launch, kGrain, row);
}

// Operations that say nothing new about whole and about real numbers.
void register_trivial(KernelTable& table) {
  for (int number = static_cast<int>(Dtype::int8); number <= static_cast<int>(Dtype::float64); ++number) {
    const auto dtype = static_cast<Dtype>(number);
    for (const Op op : {Op::real, Op::conj}) table.set(op, dtype, copy);
    if (!is_integer(dtype)) continue;
    for (const Op op : {Op::floor, Op::ceil, Op::trunc, Op::round}) table.set(op, dtype, copy);
    for (const Op op : {Op::isnan, Op::isinf}) table.set(op, dtype, run_constant<false>);
    table.set(Op::isfinite, dtype, run_constant<true>);
  }
}

// Some tens of instructions for each element, or for complex numbers calls of libm.
bool is_costly(Op op) {
  switch (op) {
    case Op::log1p:
    case Op::log2:
    case Op::log10:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh:
    case Op::pow:
    case Op::atan2:
    case Op::hypot:
    case Op::logaddexp:
    case Op::nextafter:
    case Op::floor_divide:
    case Op::remainder:
      return true;
    default:
      return false;
  }
}

}  // namespace

void register_elementwise(KernelTable& table) {
  register_trivial(table);
  for (int number = 0; number < kOpCount; ++number) {
    const Op op = static_cast<Op>(number);
    const Loop* row = loops().elementwise[number];
    const bool costly = is_costly(op);
    for (int dtype = 0; dtype < kDtypeCount; ++dtype) {
      if (!row[dtype]) continue;
      const bool calls = costly && is_complex(static_cast<Dtype>(dtype));
      table.set(op, static_cast<Dtype>(dtype), calls ? run<kCallGrain> : costly ? run<kCostlyGrain> : run<kGrain>);
    }
    if (!row[static_cast<int>(Dtype::float32)]) continue;
    for (const Dtype half : {Dtype::float16, Dtype::bfloat16}) {
      if (row[static_cast<int>(half)]) continue;
      table.set(op, half, costly ? run_through_float<kCostlyGrain> : run_through_float<kGrain>);
    }
  }
}

}  // namespace crossdock::native
