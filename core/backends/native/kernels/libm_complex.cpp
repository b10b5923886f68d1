// Loops around elementary functions of complex numbers, which call the C library's of real ones.
#include "crossdock/functors/exponential.h"
#include "crossdock/functors/trigonometric.h"
#include "levels/elementwise.h"

namespace crossdock::native {

using namespace functors;

void register_libm_complex(LoopTable& table) {
  set_unary_call<Sqrt, complex64, complex128>(table, Op::sqrt);
  set_unary_call<Exp, complex64, complex128>(table, Op::exp);
  set_unary_call<Expm1, complex64, complex128>(table, Op::expm1);
  set_unary_call<Log, complex64, complex128>(table, Op::log);
  set_unary_call<Log1p, complex64, complex128>(table, Op::log1p);
  set_unary_call<Log2, complex64, complex128>(table, Op::log2);
  set_unary_call<Log10, complex64, complex128>(table, Op::log10);
  set_unary_call<Sin, complex64, complex128>(table, Op::sin);
  set_unary_call<Cos, complex64, complex128>(table, Op::cos);
  set_unary_call<Tan, complex64, complex128>(table, Op::tan);
  set_unary_call<Asin, complex64, complex128>(table, Op::asin);
  set_unary_call<Acos, complex64, complex128>(table, Op::acos);
  set_unary_call<Atan, complex64, complex128>(table, Op::atan);
  set_unary_call<Sinh, complex64, complex128>(table, Op::sinh);
  set_unary_call<Cosh, complex64, complex128>(table, Op::cosh);
  set_unary_call<Tanh, complex64, complex128>(table, Op::tanh);
  set_unary_call<Asinh, complex64, complex128>(table, Op::asinh);
  set_unary_call<Acosh, complex64, complex128>(table, Op::acosh);
  set_unary_call<Atanh, complex64, complex128>(table, Op::atanh);
  set_binary_call<Pow, complex64, complex128>(table, Op::pow);
}

}  // namespace crossdock::native
