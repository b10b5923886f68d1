// Waiting for a moment without giving the CPU back.
#pragma once

#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crossdock {

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True as soon as `ready()`; false when it was not for `limit`.
template <class Ready>
bool spin_until(std::chrono::nanoseconds limit, Ready&& ready) noexcept(noexcept(ready())) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      cpu_relax();
    }
  } while (Clock::now() < deadline);
  return ready();
}

}  // namespace crossdock
