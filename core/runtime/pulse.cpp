#include "crossdock/runtime/pulse.h"

#include <climits>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <thread>
#endif

namespace crossdock {

// std::atomic's wait has no limit, and sleeps on when a signal has come.
#ifdef __linux__

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void Pulse::wait(std::uint32_t seen, std::chrono::milliseconds limit) noexcept {
  const timespec time{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  sleepers_.fetch_add(1);
  ::syscall(SYS_futex, &beats_, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
  sleepers_.fetch_sub(1);
}

void Pulse::wake() noexcept { ::syscall(SYS_futex, &beats_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }

#else

void Pulse::wait(std::uint32_t seen, std::chrono::milliseconds limit) noexcept {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!has_beaten_since(seen) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void Pulse::wake() noexcept {}

#endif

}  // namespace crossdock
