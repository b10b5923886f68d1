// add, subtract, multiply, divide, negative, abs, sign, square, reciprocal, maximum, minimum, conj, real, imag.
#include "crossdock/functors/arithmetic.h"

#include "crossdock/functors/comparison.h"
#include "crossdock/functors/parts.h"
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {
namespace {

using namespace functors;

// Modulo 2^N, signed and unsigned are the same.
template <class F>
void set_modular_binary(LoopTable& table, Op op) {
  set_binary<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, complex64, complex128>(table,
                                                                                                                 op);
  share_with_signed(table, op);
}
template <class F>
void set_modular_unary(LoopTable& table, Op op) {
  set_unary<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, complex64, complex128>(table,
                                                                                                                op);
  share_with_signed(table, op);
}
template <class F>
void set_unary_everywhere(LoopTable& table, Op op) {
  set_unary<F, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
            std::uint64_t, float, double, complex64, complex128>(table, op);
}
template <class F>
void set_binary_real(LoopTable& table, Op op) {
  set_binary<F, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
             std::uint64_t, float, double>(table, op);
}

}  // namespace

void CROSSDOCK_LEVEL::register_arithmetic(LoopTable& table) {
  set_modular_binary<Add>(table, Op::add);
  set_modular_binary<Subtract>(table, Op::subtract);
  set_modular_binary<Multiply>(table, Op::multiply);
  set_binary<Divide, float, double, complex64, complex128>(table, Op::divide);
  set_binary_real<Maximum>(table, Op::maximum);
  set_binary_real<Minimum>(table, Op::minimum);
  set_modular_unary<Negative>(table, Op::negative);
  set_modular_unary<Square>(table, Op::square);
  set_unary<Abs, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
            std::uint64_t, float, double>(table, Op::abs);  // of complex numbers: powers.cpp
  set_unary_everywhere<Sign>(table, Op::sign);
  set_unary<Reciprocal, float, double, complex64, complex128>(table, Op::reciprocal);
  set_unary<Conjugate, complex64, complex128>(table, Op::conj);
  set_unary<RealPart, complex64, complex128>(table, Op::real);
  set_unary<ImaginaryPart, complex64, complex128>(table, Op::imag);
}

}  // namespace crossdock::native
