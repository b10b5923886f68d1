// pow of integers, logic on bools, bits and shifts.
#include "crossdock/functors/bitwise.h"
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

// One exponent for all: its bits are looked at once for a piece of the elements, which then go through together.
template <class T>
void pow_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  using Word = Wrapping<T>;
  const T exponent = load<T>(p[1]);
  if (s[1] != 0 || exponent < 0) return binary_call_loop<Pow, T>(p, s, n);
  constexpr std::int64_t kPiece = 256;
  alignas(64) Word bases[kPiece], powers[kPiece];
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const std::int64_t count = n - done < kPiece ? n - done : kPiece;
    const std::byte* const from = p[0] + done * s[0];
    std::byte* const to = p[2] + done * s[2];
    for (std::int64_t i = 0; i < count; ++i) {
      bases[i] = static_cast<Word>(load<T>(from + i * s[0]));
      powers[i] = 1;
    }
    for (auto left = static_cast<Word>(exponent); left != 0; left >>= 1) {
      if ((left & 1) != 0) {
        for (std::int64_t i = 0; i < count; ++i) powers[i] *= bases[i];
      }
      for (std::int64_t i = 0; i < count; ++i) bases[i] *= bases[i];
    }
    for (std::int64_t i = 0; i < count; ++i) store<T>(to + i * s[2], static_cast<T>(powers[i]));
  }
}
template <class... Ts>
void set_pow(LoopTable& table) {
  ((elementwise(table, Op::pow, dtype_of<Ts>) = &pow_loop<Ts>), ...);
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
  set_pow<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
          std::uint64_t>(table);
  set_bools(table);
}

}  // namespace crossdock::native
