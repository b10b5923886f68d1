// sinh, cosh and the inverse hyperbolic functions, log1p, log2 and log10, vectorised.
#include "elementwise.h"
#include "level.h"
#include "logarithms.h"
#include "powers.h"

namespace crossdock::native {
namespace {

struct Sinh {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_sinh(x); }
};
struct Cosh {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_cosh(x); }
};
struct Asinh {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_asinh(x); }
};
struct Acosh {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_acosh(x); }
};
struct Atanh {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_atanh(x); }
};
struct Log1p {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_log1p(x); }
};
struct Log2 {
  template <class T>
  CROSSDOCK_HD T operator()(T x) const {
    return vector_log_to_base<T, false>(x);
  }
};
struct Log10 {
  template <class T>
  CROSSDOCK_HD T operator()(T x) const {
    return vector_log_to_base<T, true>(x);
  }
};

}  // namespace

void CROSSDOCK_LEVEL::register_hyperbolic(LoopTable& table) {
  set_unary<Sinh, float, double>(table, Op::sinh);
  set_unary<Cosh, float, double>(table, Op::cosh);
  set_unary<Asinh, float, double>(table, Op::asinh);
  set_unary<Acosh, float, double>(table, Op::acosh);
  set_unary<Atanh, float, double>(table, Op::atanh);
  set_unary<Log1p, float, double>(table, Op::log1p);
  set_unary<Log2, float, double>(table, Op::log2);
  set_unary<Log10, float, double>(table, Op::log10);
}

}  // namespace crossdock::native
