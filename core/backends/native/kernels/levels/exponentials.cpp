// exp, expm1, log and tanh of real numbers, vectorised.
#include "crossdock/functors/vectorized.h"
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {
namespace {

namespace vectorized = functors::vectorized;

struct Exp {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return vectorized::exp(a);
  }
};
struct Expm1 {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return vectorized::expm1(a);
  }
};
struct Log {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return vectorized::log(a);
  }
};
struct Tanh {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return vectorized::tanh(a);
  }
};

}  // namespace

void CROSSDOCK_LEVEL::register_exponentials(LoopTable& table) {
  set_unary<Exp, float, double>(table, Op::exp);
  set_unary<Expm1, float, double>(table, Op::expm1);
  set_unary<Log, float, double>(table, Op::log);
  set_unary<Tanh, float, double>(table, Op::tanh);
}

}  // namespace crossdock::native
