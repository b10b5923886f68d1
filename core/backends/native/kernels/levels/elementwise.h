// Inner loops around a functor: contiguous, with a scalar operand, and for any strides.
#pragma once

#include "elements.h"

namespace crossdock::native {
namespace {

// The output may be an input, element for element: hence `ivdep` (no iteration depends on another).
template <class F, class A>
void unary_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  using R = Stored<decltype(F{}(A{}))>;
  const F f;
  if (contiguous<A>(p[0], s[0]) && contiguous<R>(p[1], s[1])) {
    const A* a = input<A>(p[0]);
    R* r = output<R>(p[1]);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) r[i] = f(a[i]);
    return;
  }
  const std::byte* a = p[0];
  std::byte* r = p[1];
  const std::int64_t a_step = s[0], r_step = s[1];  // a store may change s, for all the compiler knows
  for (std::int64_t i = 0; i < n; ++i) store<R>(r + i * r_step, f(load<A>(a + i * a_step)));
}

template <class F, class A>
void binary_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  using R = Stored<decltype(F{}(A{}, A{}))>;
  const F f;
  if (contiguous<R>(p[2], s[2])) {
    const A *a = input<A>(p[0]), *b = input<A>(p[1]);
    R* r = output<R>(p[2]);
    const bool first = contiguous<A>(p[0], s[0]), second = contiguous<A>(p[1], s[1]);
    if (first && second) {
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
      return;
    }
    if (first && s[1] == 0) {
      const A scalar = load<A>(p[1]);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) r[i] = f(a[i], scalar);
      return;
    }
    if (second && s[0] == 0) {
      const A scalar = load<A>(p[0]);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) r[i] = f(scalar, b[i]);
      return;
    }
  }
  const std::byte *a = p[0], *b = p[1];
  std::byte* r = p[2];
  const std::int64_t a_step = s[0], b_step = s[1], r_step = s[2];
  for (std::int64_t i = 0; i < n; ++i) {
    store<R>(r + i * r_step, f(load<A>(a + i * a_step), load<A>(b + i * b_step)));
  }
}

// For functors that call into libm: the strides cost nothing beside the call.
template <class F, class A>
void unary_call_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  using R = Stored<decltype(F{}(A{}))>;
  for (std::int64_t i = 0; i < n; ++i) store<R>(p[1] + i * s[1], F{}(load<A>(p[0] + i * s[0])));
}
template <class F, class A>
void binary_call_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  using R = Stored<decltype(F{}(A{}, A{}))>;
  for (std::int64_t i = 0; i < n; ++i) {
    store<R>(p[2] + i * s[2], F{}(load<A>(p[0] + i * s[0]), load<A>(p[1] + i * s[1])));
  }
}

template <class F, class... As>
void set_unary(LoopTable& table, Op op) {
  ((elementwise(table, op, dtype_of<As>) = &unary_loop<F, As>), ...);
}
template <class F, class... As>
void set_binary(LoopTable& table, Op op) {
  ((elementwise(table, op, dtype_of<As>) = &binary_loop<F, As>), ...);
}
template <class F, class... As>
void set_unary_call(LoopTable& table, Op op) {
  ((elementwise(table, op, dtype_of<As>) = &unary_call_loop<F, As>), ...);
}
template <class F, class... As>
void set_binary_call(LoopTable& table, Op op) {
  ((elementwise(table, op, dtype_of<As>) = &binary_call_loop<F, As>), ...);
}

// Where only the bits matter, signed integers take the loops of the unsigned ones.
inline void share_with_signed(LoopTable& table, Op op) {
  for (int width = 0; width < 4; ++width) {
    table.elementwise[static_cast<int>(op)][static_cast<int>(Dtype::int8) + width] =
        table.elementwise[static_cast<int>(op)][static_cast<int>(Dtype::uint8) + width];
  }
}

}  // namespace
}  // namespace crossdock::native
