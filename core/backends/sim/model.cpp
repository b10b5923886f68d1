#include "model.h"

#include <thread>

#include "crossdock/runtime/spin.h"
#include "settings.h"

namespace crossdock::sim {

using Clock = std::chrono::steady_clock;

namespace {

double modelled_us(std::size_t nbytes, double gbps) noexcept {
  return settings().latency_us + (gbps > 0 ? static_cast<double>(nbytes) / (gbps * 1e3) : 0);
}

}  // namespace

bool is_brief_copy(std::size_t nbytes, double gbps) noexcept {
  constexpr std::size_t kBrief = 64 * 1024 * 1024;
  return nbytes <= kBrief && modelled_us(nbytes, gbps) <= 50'000;
}

Modelled::Modelled(std::size_t nbytes, double gbps) noexcept {
  double microseconds = modelled_us(nbytes, gbps);
  if (microseconds <= 0) return;
  until_ = Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::micro>(microseconds));
}

Modelled::~Modelled() {
  if (until_ == Clock::time_point()) return;
  // A sleep ends some 60 us late; the last part is waited for awake.
  constexpr auto kAwake = std::chrono::microseconds(100);
  if (until_ - Clock::now() > kAwake) std::this_thread::sleep_until(until_ - kAwake);
  while (Clock::now() < until_) cpu_relax();
}

}  // namespace crossdock::sim
