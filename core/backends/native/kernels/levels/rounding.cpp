// floor, ceil, trunc, round, sqrt, copysign, and questions about floating-point values.
#include "crossdock/functors/rounding.h"

#include "crossdock/functors/exponential.h"
#include "crossdock/functors/predicate.h"
#include "crossdock/functors/trigonometric.h"
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {

using namespace functors;

void CROSSDOCK_LEVEL::register_rounding(LoopTable& table) {
  set_unary<Floor, float, double>(table, Op::floor);
  set_unary<Ceil, float, double>(table, Op::ceil);
  set_unary<Trunc, float, double>(table, Op::trunc);
  set_unary<Round, float, double, complex64, complex128>(table, Op::round);
  set_unary<Sqrt, float, double>(table, Op::sqrt);
  set_binary<CopySign, float, double>(table, Op::copysign);
  set_unary<IsNan, float, double, complex64, complex128>(table, Op::isnan);
  set_unary<IsInf, float, double, complex64, complex128>(table, Op::isinf);
  set_unary<IsFinite, float, double, complex64, complex128>(table, Op::isfinite);
  set_unary<SignBit, float, double>(table, Op::signbit);
}

}  // namespace crossdock::native
