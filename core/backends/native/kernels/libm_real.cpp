// Loops around libm's functions of real numbers.
#include "crossdock/functors/division.h"
#include "crossdock/functors/exponential.h"
#include "crossdock/functors/next_after.h"
#include "crossdock/functors/trigonometric.h"
#include "levels/elementwise.h"

namespace crossdock::native {

using namespace functors;

void register_libm_real(LoopTable& table) {
  set_unary_call<Log1p, float, double>(table, Op::log1p);
  set_unary_call<Log2, float, double>(table, Op::log2);
  set_unary_call<Log10, float, double>(table, Op::log10);
  set_unary_call<Sin, float, double>(table, Op::sin);
  set_unary_call<Cos, float, double>(table, Op::cos);
  set_unary_call<Tan, float, double>(table, Op::tan);
  set_unary_call<Asin, float, double>(table, Op::asin);
  set_unary_call<Acos, float, double>(table, Op::acos);
  set_unary_call<Atan, float, double>(table, Op::atan);
  set_unary_call<Sinh, float, double>(table, Op::sinh);
  set_unary_call<Cosh, float, double>(table, Op::cosh);
  set_unary_call<Asinh, float, double>(table, Op::asinh);
  set_unary_call<Acosh, float, double>(table, Op::acosh);
  set_unary_call<Atanh, float, double>(table, Op::atanh);
  set_binary_call<FloorDivide, float, double>(table, Op::floor_divide);
  set_binary_call<Remainder, float, double>(table, Op::remainder);
  set_binary_call<Pow, float, double>(table, Op::pow);
  set_binary_call<Atan2, float, double>(table, Op::atan2);
  set_binary_call<Hypot, float, double>(table, Op::hypot);
  set_binary_call<LogAddExp, float, double>(table, Op::logaddexp);
  set_binary_call<NextAfter, Float16, BFloat16, float, double>(table, Op::nextafter);
}

}  // namespace crossdock::native
