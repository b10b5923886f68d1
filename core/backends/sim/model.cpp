#include "model.h"

#include <thread>

#include "crossdock/runtime/spin.h"
#include "settings.h"

namespace crossdock::sim {

using Clock = std::chrono::steady_clock;

Modelled::Modelled(std::size_t nbytes, double gbps) noexcept {
  double microseconds = settings().latency_us + (gbps > 0 ? static_cast<double>(nbytes) / (gbps * 1e3) : 0);
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
