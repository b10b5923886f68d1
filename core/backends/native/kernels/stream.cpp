#include "stream.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace crossdock::native {

namespace {

// As much as the last cache holds, within limits: machines tell lies about it, or about one core's share.
std::int64_t cache_bytes() noexcept {
  long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  size = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  constexpr std::int64_t kMiB = 1 << 20;
  return std::clamp<std::int64_t>(size, 16 * kMiB, 64 * kMiB);
}

}  // namespace

bool streams(std::int64_t nbytes) noexcept {
  static const std::int64_t least = cache_bytes();
  return nbytes >= least;
}

void end_stream() noexcept {
#ifdef __x86_64__
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

}  // namespace crossdock::native
