// sum, prod, max, min, any, all: how elements enter accumulators.
#include "crossdock/functors/cast.h"
#include "crossdock/functors/comparison.h"
#include "vectors.h"

namespace crossdock::native {
namespace {

using functors::cast;

struct Plus {
  static constexpr int identity = 0;
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return a + b;
  }
};
struct Times {
  static constexpr int identity = 1;
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    return a * b;
  }
};

// Integers in 64 bits without sign: sums and products wrap, and the target keeps the low bits.
template <class Op, class T>
void reduce_integers(const std::byte* elements, std::int64_t n, std::byte* accumulator) {
  const T* x = input<T>(elements);
  std::uint64_t sum = load<std::uint64_t>(accumulator);
  for (std::int64_t i = 0; i < n; ++i) sum = Op{}(sum, static_cast<std::uint64_t>(x[i]));
  store(accumulator, sum);
}

// Four vectors of doubles take turns.
template <class Op, class T>
struct Lanes {
  static constexpr int kCount = CROSSDOCK_VECTOR_BYTES / 8;
  static constexpr int kTurns = 4;
  static constexpr std::int64_t kBlock = kCount * kTurns;
  using Doubles = Vector<double>;
  using Elements = Vector<T, static_cast<int>(kCount * sizeof(T))>;

  // lanes[i % kCount] op= x[i]; n a multiple of kBlock.
  static void run(const T* x, std::int64_t n, double* lanes) {
    Doubles sums[kTurns];
    for (Doubles& sum : sums) sum = Doubles{} + Op::identity;
    for (std::int64_t i = 0; i < n; i += kBlock) {
#pragma GCC unroll 4
      for (int turn = 0; turn < kTurns; ++turn) {
        const auto part = load_vector<Elements>(x + i + turn * kCount);
        sums[turn] = Op{}(sums[turn], __builtin_convertvector(part, Doubles));
      }
    }
    const Doubles all = Op{}(Op{}(sums[0], sums[1]), Op{}(sums[2], sums[3]));
    for (int lane = 0; lane < kCount; ++lane) lanes[lane] = Op{}(lanes[lane], static_cast<double>(all[lane]));
  }
};

// Sums of long runs as sums of sums, so that the rounding error grows with the logarithm of their length.
template <class Op, class T>
double reduce_run(const T* x, std::int64_t n) {
  using L = Lanes<Op, T>;
  constexpr std::int64_t kRun = 2048;
  if (n > kRun) {
    const std::int64_t half = n / 2 / kRun * kRun + (n / 2 < kRun ? kRun : 0);
    const double first = reduce_run<Op>(x, half);
    return Op{}(first, reduce_run<Op>(x + half, n - half));
  }
  double lanes[L::kCount];
  for (double& lane : lanes) lane = Op::identity;
  const std::int64_t whole = n / L::kBlock * L::kBlock;
  L::run(x, whole, lanes);
  for (std::int64_t i = whole; i < n; ++i) lanes[i % L::kCount] = Op{}(lanes[i % L::kCount], static_cast<double>(x[i]));
  for (int width = L::kCount / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] = Op{}(lanes[lane], lanes[lane + width]);
  }
  return lanes[0];
}

template <class Op, class T>
void reduce_floating(const std::byte* elements, std::int64_t n, std::byte* accumulator) {
  store(accumulator, Op{}(load<double>(accumulator), reduce_run<Op>(input<T>(elements), n)));
}

template <class Op, class T>
void reduce_complex(const std::byte* elements, std::int64_t n, std::byte* accumulator) {
  const T* x = input<T>(elements);
  constexpr std::int64_t kRun = 256;
  auto total = load<complex128>(accumulator);
  for (std::int64_t begin = 0; begin < n; begin += kRun) {
    complex128 sum = cast<complex128>(static_cast<double>(Op::identity));
    const std::int64_t end = n - begin < kRun ? n : begin + kRun;
    for (std::int64_t i = begin; i < end; ++i) sum = Op{}(sum, cast<complex128>(x[i]));
    total = Op{}(total, sum);
  }
  store(accumulator, total);
}

template <class Op, class A, class T>
void reduce_row(const std::byte* elements, std::int64_t n, std::byte* accumulators) {
  const T* x = input<T>(elements);
  A* a = output<A>(accumulators);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) a[i] = Op{}(a[i], cast<A>(x[i]));
}

// Comparison is exact in any order and may see an element twice: independent lanes let it vectorise, and the last of
// them begin where they end with the last element. At least `count` elements.
template <class Op, int count, class T>
T reduce_lanes(const T* x, std::int64_t n) {
  T lanes[count];
  __builtin_memcpy(lanes, x, sizeof lanes);
  const auto take = [&lanes](const T* from) {
    for (int lane = 0; lane < count; ++lane) lanes[lane] = Op{}(from[lane], lanes[lane]);
  };
  std::int64_t i = count;
  for (; i + count <= n; i += count) take(x + i);
  if (i < n) take(x + n - count);
#pragma GCC unroll 16
  for (int half = count / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] = Op{}(lanes[lane + half], lanes[lane]);
  }
  return lanes[0];
}

template <class Op, class T>
void reduce_order(const std::byte* elements, std::int64_t n, std::byte* accumulator) {
  const T* x = input<T>(elements);
  constexpr int kLanes = CROSSDOCK_VECTOR_BYTES / static_cast<int>(sizeof(T));
  T best = load<T>(accumulator);
  if (n >= 4 * kLanes) {
    best = Op{}(reduce_lanes<Op, 4 * kLanes>(x, n), best);
  } else if (n >= kLanes) {
    best = Op{}(reduce_lanes<Op, kLanes>(x, n), best);
  } else {
    for (std::int64_t i = 0; i < n; ++i) best = Op{}(x[i], best);
  }
  store(accumulator, best);
}

// any and all look at the bits of an element, as `words` unsigned numbers: it is true when one of them is not 0 beneath
// `mask`, which hides the signs of floating-point numbers.
template <class Word, Word mask, int words>
bool has_true(const Word* x, std::int64_t n) {
  Word seen = 0;
  for (std::int64_t i = 0; i < n * words; ++i) seen = static_cast<Word>(seen | x[i]);
  return seen & mask;
}

template <class Word, Word mask, int words>
bool has_false(const Word* x, std::int64_t n) {
  Word seen = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Word word = x[i * words];
    if constexpr (words == 2) word |= x[i * words + 1];
    seen = static_cast<Word>(seen | ((word & mask) == 0));
  }
  return seen;
}

// One element that is `answer` settles it; looked for in blocks, to leave early.
template <bool answer, class Word, Word mask, int words>
void reduce_truth(const std::byte* elements, std::int64_t n, std::byte* accumulator) {
  constexpr std::int64_t kBlock = 4096 / static_cast<std::int64_t>(sizeof(Word) * words);
  constexpr auto* settles = answer ? &has_true<Word, mask, words> : &has_false<Word, mask, words>;
  if (load<std::uint8_t>(accumulator) == answer) return;
  const Word* x = input<Word>(elements);
  for (; n > 0; n -= kBlock, x += kBlock * words) {
    if (settles(x, n < kBlock ? n : kBlock)) return store(accumulator, std::uint8_t{answer});
  }
}

template <bool answer, class Word, Word mask, int words>
void reduce_truth_row(const std::byte* elements, std::int64_t n, std::byte* accumulators) {
  const Word* x = input<Word>(elements);
  std::uint8_t* a = output<std::uint8_t>(accumulators);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    Word word = x[i * words];
    if constexpr (words == 2) word |= x[i * words + 1];
    const std::uint8_t truth = (word & mask) != 0;
    a[i] = answer ? a[i] | truth : a[i] & truth;
  }
}

template <class A>
void set(LoopTable& table, Op op, Dtype dtype, Reduction reduction, A identity) {
  __builtin_memcpy(reduction.identity, &identity, sizeof identity);
  table.reductions[static_cast<int>(op)][static_cast<int>(dtype)] = reduction;
}

template <class F, class T>
void set_integer(LoopTable& table, Op op, Dtype dtype, Dtype accumulator) {
  set(table, op, dtype, {dtype_of<T>, accumulator, &reduce_integers<F, T>, &reduce_row<F, std::uint64_t, T>, {}},
      static_cast<std::uint64_t>(F::identity));
}

template <class F>
void set_accumulation(LoopTable& table, Op op) {
  set_integer<F, std::uint8_t>(table, op, Dtype::bool_, Dtype::int64);
  set_integer<F, std::int8_t>(table, op, Dtype::int8, Dtype::int64);
  set_integer<F, std::int16_t>(table, op, Dtype::int16, Dtype::int64);
  set_integer<F, std::int32_t>(table, op, Dtype::int32, Dtype::int64);
  set_integer<F, std::int64_t>(table, op, Dtype::int64, Dtype::int64);
  set_integer<F, std::uint8_t>(table, op, Dtype::uint8, Dtype::uint64);
  set_integer<F, std::uint16_t>(table, op, Dtype::uint16, Dtype::uint64);
  set_integer<F, std::uint32_t>(table, op, Dtype::uint32, Dtype::uint64);
  set_integer<F, std::uint64_t>(table, op, Dtype::uint64, Dtype::uint64);
  const double one = F::identity;
  const Reduction single{Dtype::float32, Dtype::float64, &reduce_floating<F, float>, &reduce_row<F, double, float>, {}};
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32}) set(table, op, dtype, single, one);
  set(table, op, Dtype::float64,
      {Dtype::float64, Dtype::float64, &reduce_floating<F, double>, &reduce_row<F, double, double>, {}}, one);
  set(table, op, Dtype::complex64,
      {Dtype::complex64, Dtype::complex128, &reduce_complex<F, complex64>, &reduce_row<F, complex128, complex64>, {}},
      complex128{one, 0});
  set(table, op, Dtype::complex128,
      {Dtype::complex128,
       Dtype::complex128,
       &reduce_complex<F, complex128>,
       &reduce_row<F, complex128, complex128>,
       {}},
      complex128{one, 0});
}

template <class F, class T>
void set_one_order(LoopTable& table, Op op, T identity) {
  set(table, op, dtype_of<T>, {dtype_of<T>, dtype_of<T>, &reduce_order<F, T>, &reduce_row<F, T, T>, {}}, identity);
}

template <class T>
T lowest() {
  if constexpr (functors::is_floating<T>)
    return -static_cast<T>(INFINITY);
  else
    return functors::is_signed<T> ? static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)) : T{0};
}

template <class... Ts>
void set_order(LoopTable& table) {
  (set_one_order<functors::Maximum, Ts>(table, Op::max, lowest<Ts>()), ...);
  (set_one_order<functors::Minimum, Ts>(table, Op::min,
                                        functors::is_floating<Ts>
                                            ? static_cast<Ts>(-lowest<Ts>())
                                            : static_cast<Ts>(~static_cast<std::uint64_t>(lowest<Ts>()))),
   ...);
}

template <class Word, Word mask, int words = 1, int n>
void set_truth(LoopTable& table, const Dtype (&dtypes)[n]) {
  for (const Dtype dtype : dtypes) {
    set(table, Op::any, dtype,
        {dtype, Dtype::bool_, &reduce_truth<true, Word, mask, words>, &reduce_truth_row<true, Word, mask, words>, {}},
        std::uint8_t{0});
    set(table, Op::all, dtype,
        {dtype, Dtype::bool_, &reduce_truth<false, Word, mask, words>, &reduce_truth_row<false, Word, mask, words>, {}},
        std::uint8_t{1});
  }
}

}  // namespace

void CROSSDOCK_LEVEL::register_reductions(LoopTable& table) {
  set_accumulation<Plus>(table, Op::sum);
  set_accumulation<Times>(table, Op::prod);
  set_order<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
            std::uint64_t, float, double>(table);
  for (const Op op : {Op::max, Op::min}) {
    Reduction* row = table.reductions[static_cast<int>(op)];
    row[static_cast<int>(Dtype::float16)] = row[static_cast<int>(Dtype::float32)];
    row[static_cast<int>(Dtype::bfloat16)] = row[static_cast<int>(Dtype::float32)];
  }
  constexpr std::uint64_t kAll = ~std::uint64_t{0}, kSigns32 = 0x8000'0000'8000'0000;
  set_truth<std::uint8_t, 0xff>(table, {Dtype::bool_});
  for (const Op op : {Op::any, Op::all}) {  // what follows has loops of its own; the rest, as for storage, converts
    Reduction* row = table.reductions[static_cast<int>(op)];
    for (int dtype = 0; dtype < kDtypeCount; ++dtype) row[dtype] = row[static_cast<int>(Dtype::bool_)];
  }
  set_truth<std::uint8_t, 0xff>(table, {Dtype::int8, Dtype::uint8});
  set_truth<std::uint16_t, 0xffff>(table, {Dtype::int16, Dtype::uint16});
  set_truth<std::uint16_t, 0x7fff>(table, {Dtype::float16, Dtype::bfloat16});
  set_truth<std::uint32_t, 0xffff'ffff>(table, {Dtype::int32, Dtype::uint32});
  set_truth<std::uint32_t, 0x7fff'ffff>(table, {Dtype::float32});
  set_truth<std::uint64_t, kAll>(table, {Dtype::int64, Dtype::uint64});
  set_truth<std::uint64_t, kAll / 2>(table, {Dtype::float64});
  set_truth<std::uint64_t, ~kSigns32>(table, {Dtype::complex64});
  set_truth<std::uint64_t, kAll / 2, 2>(table, {Dtype::complex128});
}

}  // namespace crossdock::native
