// Loops around libm's functions of real numbers; those of double serve where there are no fused products.
#include "crossdock/functors/division.h"
#include "crossdock/functors/exponential.h"
#include "crossdock/functors/next_after.h"
#include "levels/elementwise.h"

namespace crossdock::native {

using namespace functors;

void register_libm_real(LoopTable& table) {
  set_binary_call<FloorDivide, double>(table, Op::floor_divide);
  set_binary_call<Remainder, double>(table, Op::remainder);
  set_binary_call<Pow, double>(table, Op::pow);
  set_binary_call<NextAfter, Float16, BFloat16, float, double>(table, Op::nextafter);
}

}  // namespace crossdock::native
