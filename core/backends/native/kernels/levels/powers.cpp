// pow, hypot, logaddexp and the size of complex numbers, vectorised.
#include "powers.h"

#include "elementwise.h"
#include "guarded.h"
#include "level.h"

namespace crossdock::native {
namespace {

struct Hypot {
  template <class T>
  CROSSDOCK_HD T operator()(T x, T y) const {
    return hypot_of(x, y);
  }
};
struct ComplexAbs {
  template <class T>
  CROSSDOCK_HD T operator()(functors::Complex<T> x) const {
    return hypot_of(x.re, x.im);
  }
};
struct LogAddExp {
  template <class T>
  CROSSDOCK_HD T operator()(T x, T y) const {
    return vector_logaddexp(x, y);
  }
};
struct Pow {
  template <class T>
  CROSSDOCK_HD static bool plain(T x, T y) {
    return plain_pow(x, y);
  }
  template <class T>
  CROSSDOCK_HD static T compute(T x, T y) {
    return vector_pow(x, y);
  }
  template <class T>
  CROSSDOCK_HD static T call(T x, T y) {
    return functors::elementary::pow(x, y);
  }
};

struct Cube {
  CROSSDOCK_HD auto operator()(auto x) const { return x * x * x; }
};
struct HalfPower {  // no negative zero, and of -infinity what pow has
  template <class T>
  CROSSDOCK_HD T operator()(T x) const {
    return x == T(-kInfinity) ? T(kInfinity) : sqrt(x + T(0));
  }
};

// Exponents that are asked for much have loops of their own.
template <class T>
void pow_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  const T exponent = load<T>(p[1]);
  if (s[1] == 0 && (exponent == 3 || exponent == T(0.5))) {
    std::byte* const pointers[] = {p[0], p[2]};
    const std::int64_t strides[] = {s[0], s[2]};
    return (exponent == 3 ? &unary_loop<Cube, T> : &unary_loop<HalfPower, T>)(pointers, strides, n);
  }
  guarded_binary_loop<Pow, T>(p, s, n);
}

}  // namespace

void CROSSDOCK_LEVEL::register_powers(LoopTable& table) {
  set_binary<Hypot, float, double>(table, Op::hypot);
  set_unary<ComplexAbs, complex64, complex128>(table, Op::abs);
  set_binary<LogAddExp, float, double>(table, Op::logaddexp);
  elementwise(table, Op::pow, Dtype::float32) = &pow_loop<float>;
#ifdef __FP_FAST_FMA
  elementwise(table, Op::pow, Dtype::float64) = &pow_loop<double>;
#endif
}

}  // namespace crossdock::native
