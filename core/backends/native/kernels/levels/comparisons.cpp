// Comparisons.
#include "crossdock/functors/comparison.h"
#include "elementwise.h"
#include "level.h"

namespace crossdock::native {
namespace {

using namespace functors;

template <class F>
void set_order(LoopTable& table, Op op) {
  set_binary<F, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
             std::uint64_t, float, double>(table, op);
}
template <class F>
void set_equality(LoopTable& table, Op op) {
  set_binary<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, complex64, complex128>(table,
                                                                                                                 op);
  share_with_signed(table, op);
}

}  // namespace

void CROSSDOCK_LEVEL::register_comparisons(LoopTable& table) {
  set_equality<Equal>(table, Op::equal);
  set_equality<NotEqual>(table, Op::not_equal);
  set_order<Less>(table, Op::less);
  set_order<LessEqual>(table, Op::less_equal);
  set_order<Greater>(table, Op::greater);
  set_order<GreaterEqual>(table, Op::greater_equal);
}

}  // namespace crossdock::native
