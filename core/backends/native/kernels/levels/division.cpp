// floor_divide and remainder, vectorised.
#include "division.h"

#include "elementwise.h"
#include "guarded.h"
#include "level.h"

namespace crossdock::native {
namespace {

template <class F, class T, bool remainder>
void integer_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  const T divisor = load<T>(p[1]);
  if (s[1] != 0 || divisor == 0 || !exact(divisor)) return guarded_binary_loop<F, T>(p, s, n);
  std::byte* const pointers[] = {p[0], p[2]};
  const std::int64_t strides[] = {s[0], s[2]};
  guarded_loop<T>(Divisor<T, remainder>(divisor), pointers, strides, n);
}

template <class... Ts>
void set_integers(LoopTable& table) {
  ((elementwise(table, Op::floor_divide, dtype_of<Ts>) = &integer_loop<VectorFloorDivide, Ts, false>), ...);
  ((elementwise(table, Op::remainder, dtype_of<Ts>) = &integer_loop<VectorRemainder, Ts, true>), ...);
}

template <class T>
void set_real(LoopTable& table) {
  elementwise(table, Op::floor_divide, dtype_of<T>) = &guarded_binary_loop<RealFloorDivide, T>;
  elementwise(table, Op::remainder, dtype_of<T>) = &guarded_binary_loop<RealRemainder, T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_division(LoopTable& table) {
  set_integers<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t>(table);
  set_real<float>(table);
#ifdef __FP_FAST_FMA
  set_real<double>(table);
#endif
}

}  // namespace crossdock::native
