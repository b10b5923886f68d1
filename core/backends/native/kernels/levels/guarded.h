// Loops for functions whose vectorised form does not serve all elements: the few others call libm, each by itself, so
// that a result does not depend on its neighbours.
#pragma once

#include "elements.h"

namespace crossdock::native {
namespace {

inline constexpr std::int64_t kPiece = 512;

// `F` has plain(a...), whether compute(a...) serves, and call(a...), which always does. The output may be an input: so
// results go to a buffer first.
template <class F, class A, class... As>
[[gnu::always_inline]] inline void guarded_piece(const F f, std::byte* out, std::int64_t stride, std::int64_t n,
                                                 const A* a, const As*... more) {
  alignas(64) A results[kPiece];
  int others = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    results[i] = f.compute(a[i], more[i]...);
    others |= !f.plain(a[i], more[i]...);
  }
  if (others != 0) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (!f.plain(a[i], more[i]...)) results[i] = f.call(a[i], more[i]...);
    }
  }
  if (contiguous<A>(out, stride)) {
    __builtin_memcpy(out, results, static_cast<std::size_t>(n) * sizeof(A));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) store<A>(out + i * stride, results[i]);
}

// Elements one after the other: where they are, or in `buffer`.
template <class A>
[[gnu::always_inline]] inline const A* gathered(const std::byte* p, std::int64_t stride, std::int64_t n, A* buffer) {
  if (contiguous<A>(p, stride)) return input<A>(p);
  for (std::int64_t i = 0; i < n; ++i) buffer[i] = load<A>(p + i * stride);
  return buffer;
}

template <class A, class F>
[[gnu::always_inline]] inline void guarded_loop(const F f, std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  alignas(64) A buffer[kPiece];
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const std::int64_t count = n - done < kPiece ? n - done : kPiece;
    const A* const a = gathered(p[0] + done * s[0], s[0], count, buffer);
    guarded_piece(f, p[1] + done * s[1], s[1], count, a);
  }
}
template <class F, class A>
void guarded_unary_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  guarded_loop<A>(F{}, p, s, n);
}

template <class F, class A>
void guarded_binary_loop(std::byte* const* p, const std::int64_t* s, std::int64_t n) {
  alignas(64) A buffers[2][kPiece];
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const std::int64_t count = n - done < kPiece ? n - done : kPiece;
    const A* const a = gathered(p[0] + done * s[0], s[0], count, buffers[0]);
    const A* const b = gathered(p[1] + done * s[1], s[1], count, buffers[1]);
    guarded_piece(F{}, p[2] + done * s[2], s[2], count, a, b);
  }
}

}  // namespace
}  // namespace crossdock::native
