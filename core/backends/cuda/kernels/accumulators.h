// How elements enter the accumulators of a reduction, two accumulators become one, and one becomes a result.
// Each reduction has: Stored, Accumulator, identity(), enter(accumulator, element, index, context), merge(a, b),
// finish(accumulator, args, where).
#pragma once

#include "crossdock/functors/comparison.h"
#include "kernels/element.h"
#include "kernels/reduction_args.h"

namespace crossdock::cuda {

// Floating-point numbers accumulate in 64 bits, integers wrap in 64.
template <class E>
struct WidestOf {
  using type =
      typename functors::Choose<functors::is_complex<E>, functors::Complex<double>,
                                typename functors::Choose<functors::is_floating<E>, double, std::uint64_t>::type>::type;
};
template <class E>
using Widest = typename WidestOf<E>::type;

// What an element's reduction needs besides it.
struct ReductionContext {
  std::uint64_t mask;
  double centre;
};

CROSSDOCK_HD void finish_as(std::uint64_t value, const ReductionArgs& args, unsigned char* at) {
  switch (args.output_size) {
    case 1:
      *reinterpret_cast<std::uint8_t*>(at) = static_cast<std::uint8_t>(value);
      break;
    case 2:
      *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(value);
      break;
    case 4:
      *reinterpret_cast<std::uint32_t*>(at) = static_cast<std::uint32_t>(value);
      break;
    default:
      *reinterpret_cast<std::uint64_t*>(at) = value;
  }
}
CROSSDOCK_HD void finish_as(std::int64_t value, const ReductionArgs& args, unsigned char* at) {
  finish_as(static_cast<std::uint64_t>(value), args, at);
}
CROSSDOCK_HD void finish_as(std::uint32_t value, const ReductionArgs& args, unsigned char* at) {
  finish_as(std::uint64_t{value}, args, at);
}
CROSSDOCK_HD void finish_as(std::int32_t value, const ReductionArgs& args, unsigned char* at) {
  finish_as(static_cast<std::uint64_t>(value), args, at);
}
CROSSDOCK_HD void finish_as(double value, const ReductionArgs& args, unsigned char* at) {
  if (args.output_size == 8)
    *reinterpret_cast<double*>(at) = value;
  else if (args.output_size == 4)
    *reinterpret_cast<float*>(at) = static_cast<float>(value);
  else if (args.output_bfloat16)
    *reinterpret_cast<functors::BFloat16*>(at) = convert<functors::BFloat16, double>(value);
  else
    *reinterpret_cast<functors::Float16*>(at) = convert<functors::Float16, double>(value);
}
CROSSDOCK_HD void finish_as(float value, const ReductionArgs& args, unsigned char* at) {
  finish_as(static_cast<double>(value), args, at);
}
CROSSDOCK_HD void finish_as(functors::Complex<double> value, const ReductionArgs& args, unsigned char* at) {
  if (args.output_size == 16)
    *reinterpret_cast<functors::Complex<double>*>(at) = value;
  else
    store<functors::Complex<float>>(at, functors::cast<functors::Complex<float>>(value));
}

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

// sum, prod
template <class F, class S>
struct Accumulation {
  using Stored = S;
  using Element = Computed<S>;
  using Accumulator = Widest<Element>;
  CROSSDOCK_HD static Accumulator identity() { return functors::cast<Accumulator>(static_cast<double>(F::identity)); }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t, ReductionContext) {
    return F{}(a, functors::cast<Accumulator>(x));
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) { return F{}(a, b); }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    finish_as(a, args, at);
  }
};

template <class T>
CROSSDOCK_HD T least() {
  if constexpr (functors::is_floating<T>)
    return -static_cast<T>(INFINITY);
  else
    return functors::is_signed<T> ? static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)) : T{0};
}
template <class T>
CROSSDOCK_HD T greatest() {
  if constexpr (functors::is_floating<T>)
    return static_cast<T>(INFINITY);
  else
    return static_cast<T>(~static_cast<std::uint64_t>(least<T>()));
}

// Small integers are compared as 32-bit ones: what threads exchange has at least 32 bits.
template <class E>
struct ComparedAs {
  using type = typename functors::Choose<
      (functors::is_floating<E> || sizeof(E) >= 4), E,
      typename functors::Choose<functors::is_signed<E>, std::int32_t, std::uint32_t>::type>::type;
};
template <class E>
using Compared = typename ComparedAs<E>::type;

// max, min: NaN wins.
template <bool largest, class S>
struct Extreme {
  using Stored = S;
  using Element = Computed<S>;
  using Accumulator = Compared<Element>;
  CROSSDOCK_HD static Accumulator identity() { return largest ? least<Accumulator>() : greatest<Accumulator>(); }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t, ReductionContext) {
    return merge(static_cast<Accumulator>(x), a);
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) {
    if constexpr (largest)
      return functors::Maximum{}(a, b);
    else
      return functors::Minimum{}(a, b);
  }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    finish_as(a, args, at);
  }
};

// any, all: an element is true when it has a bit of the mask, which hides the signs of floating-point numbers.
template <bool any, class Bits>
struct Truth {
  using Stored = Bits;
  using Element = Bits;
  using Accumulator = std::uint32_t;
  CROSSDOCK_HD static Accumulator identity() { return !any; }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t, ReductionContext context) {
    return merge(a, is_true(x, context.mask));
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) { return any ? a | b : a & b; }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    finish_as(a, args, at);
  }

 private:
  CROSSDOCK_HD static bool is_true(Bits bits, std::uint64_t mask) {
    if constexpr (functors::is_complex<Bits>)  // complex128, which has no unsigned integer of its size
      return (bits.re != 0) | (bits.im != 0);
    else
      return (bits & static_cast<Bits>(mask)) != 0;
  }
};

template <class T>
struct Candidate {
  T value;
  std::int64_t index;
};

// argmax, argmin: the first of the best, NaN above all.
template <bool largest, class S>
struct Place {
  using Stored = S;
  using Element = Computed<S>;
  using Value = Compared<Element>;
  using Accumulator = Candidate<Value>;
  CROSSDOCK_HD static Accumulator identity() {
    return {largest ? least<Value>() : greatest<Value>(), greatest<std::int64_t>()};
  }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t index, ReductionContext) {
    return merge(a, {static_cast<Value>(x), index});
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) {
    const bool take = better(b.value, a.value) | (!better(a.value, b.value) & (b.index < a.index));
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    finish_as(a.index, args, at);
  }

 private:
  CROSSDOCK_HD static bool better(Value a, Value b) {
    const bool before = largest ? a > b : a < b;
    if constexpr (functors::is_floating<Value>)
      return before | ((a != a) & (b == b));
    else
      return before;
  }
};

struct DeviationSums {
  double sum, squares;
};

// squared_deviations: the centre is rounded; what the deviations do not cancel to is its error, and counts in each of
// their squares.
template <class S>
struct Deviations {
  using Stored = S;
  using Element = Computed<S>;
  using Accumulator = DeviationSums;
  CROSSDOCK_HD static Accumulator identity() { return {0, 0}; }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t, ReductionContext context) {
    const double value = static_cast<double>(x) - context.centre;
    return {a.sum + value, a.squares + value * value};
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) { return {a.sum + b.sum, a.squares + b.squares}; }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    const double exact = args.count == 0 ? 0 : a.squares - a.sum * a.sum / static_cast<double>(args.count);
    *reinterpret_cast<double*>(at) = exact < 0 ? 0 : exact;  // NaN stays
  }
};

// Accumulators that are merged themselves: those of parts.
template <class Reduction>
struct Merged {
  using Stored = typename Reduction::Accumulator;
  using Element = Stored;
  using Accumulator = Stored;
  CROSSDOCK_HD static Accumulator identity() { return Reduction::identity(); }
  CROSSDOCK_HD static Accumulator enter(Accumulator a, Element x, std::int64_t, ReductionContext) {
    return Reduction::merge(a, x);
  }
  CROSSDOCK_HD static Accumulator merge(Accumulator a, Accumulator b) { return Reduction::merge(a, b); }
  CROSSDOCK_HD static void finish(Accumulator a, const ReductionArgs& args, unsigned char* at) {
    Reduction::finish(a, args, at);
  }
};

}  // namespace crossdock::cuda
