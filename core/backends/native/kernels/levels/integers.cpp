// floor_divide, remainder and pow of integers, logic on bools, bits and shifts.
#include "crossdock/functors/bitwise.h"
#include "crossdock/functors/division.h"
#include "crossdock/functors/exponential.h"
#include "crossdock/functors/logical.h"
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {
namespace {

using namespace functors;

template <class F>
void set_bits(LoopTable& table, Op op) {
  set_binary<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(table, op);
  share_with_signed(table, op);
}

template <class F>
void set_division(LoopTable& table, Op op) {
  set_binary_call<F, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                  std::uint64_t>(table, op);
}

void set_bools(LoopTable& table) {
  const auto set = [&table](Op op, Loop loop) { elementwise(table, op, Dtype::bool_) = loop; };
  set(Op::logical_and, &binary_loop<LogicalAnd, std::uint8_t>);
  set(Op::logical_or, &binary_loop<LogicalOr, std::uint8_t>);
  set(Op::logical_xor, &binary_loop<LogicalXor, std::uint8_t>);
  set(Op::bitwise_and, &binary_loop<LogicalAnd, std::uint8_t>);
  set(Op::bitwise_or, &binary_loop<LogicalOr, std::uint8_t>);
  set(Op::bitwise_xor, &binary_loop<LogicalXor, std::uint8_t>);
  set(Op::logical_not, &unary_loop<LogicalNot, std::uint8_t>);
  set(Op::bitwise_invert, &unary_loop<LogicalNot, std::uint8_t>);
  set(Op::equal, &binary_loop<LogicalEqual, std::uint8_t>);
  set(Op::not_equal, &binary_loop<LogicalXor, std::uint8_t>);
}

}  // namespace

void CROSSDOCK_LEVEL::register_integers(LoopTable& table) {
  set_bits<BitwiseAnd>(table, Op::bitwise_and);
  set_bits<BitwiseOr>(table, Op::bitwise_or);
  set_bits<BitwiseXor>(table, Op::bitwise_xor);
  set_bits<LeftShift>(table, Op::bitwise_left_shift);
  set_binary<RightShift, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
             std::uint32_t, std::uint64_t>(table, Op::bitwise_right_shift);
  set_unary<BitwiseInvert, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(table, Op::bitwise_invert);
  share_with_signed(table, Op::bitwise_invert);
  set_division<FloorDivide>(table, Op::floor_divide);
  set_division<Remainder>(table, Op::remainder);
  set_division<Pow>(table, Op::pow);
  set_bools(table);
}

}  // namespace crossdock::native
