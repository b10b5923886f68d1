// sin, cos, tan and their inverses, vectorised.
#include "circular.h"

#include "elementwise.h"
#include "guarded.h"
#include "inverses.h"
#include "level.h"

namespace crossdock::native {
namespace {

namespace elementary = functors::elementary;

template <class T>
[[gnu::always_inline]] inline bool plain_angle(T x) {  // infinities and NaN give NaN
  return !(fabs(x) > T(kWidest)) | (fabs(x) == T(kInfinity));
}

#define CROSSDOCK_GUARDED(Name, name)                                  \
  struct Name {                                                        \
    template <class T>                                                 \
    [[gnu::always_inline]] static bool plain(T x) {                    \
      return plain_angle(x);                                           \
    }                                                                  \
    template <class T>                                                 \
    [[gnu::always_inline]] static T compute(T x) {                     \
      return vector_##name(x);                                         \
    }                                                                  \
    template <class T>                                                 \
    [[gnu::always_inline]] static T call(T x) {                        \
      return static_cast<T>(elementary::name(static_cast<double>(x))); \
    }                                                                  \
  };
CROSSDOCK_GUARDED(Sin, sin)
CROSSDOCK_GUARDED(Cos, cos)
CROSSDOCK_GUARDED(Tan, tan)
#undef CROSSDOCK_GUARDED

struct Asin {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_asin(x); }
};
struct Acos {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_acos(x); }
};
struct Atan {
  CROSSDOCK_HD auto operator()(auto x) const { return vector_atan(x); }
};
struct Atan2 {
  template <class T>
  CROSSDOCK_HD T operator()(T y, T x) const {
    return vector_atan2(y, x);
  }
};

template <class F>
void set_guarded(LoopTable& table, Op op) {
  elementwise(table, op, Dtype::float32) = &guarded_unary_loop<F, float>;
  elementwise(table, op, Dtype::float64) = &guarded_unary_loop<F, double>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_circular(LoopTable& table) {
  set_guarded<Sin>(table, Op::sin);
  set_guarded<Cos>(table, Op::cos);
  set_guarded<Tan>(table, Op::tan);
  set_unary<Asin, float, double>(table, Op::asin);
  set_unary<Acos, float, double>(table, Op::acos);
  set_unary<Atan, float, double>(table, Op::atan);
  set_binary<Atan2, float, double>(table, Op::atan2);
}

}  // namespace crossdock::native
