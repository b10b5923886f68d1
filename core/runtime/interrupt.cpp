#include "crossdock/runtime/interrupt.h"

#include <atomic>

namespace crossdock {
namespace {

std::atomic<void (*)()> interrupt_check{nullptr};

}  // namespace

void set_interrupt_check(void (*check)()) noexcept { interrupt_check.store(check); }

void check_interrupt() {
  if (auto* check = interrupt_check.load()) check();
}

}  // namespace crossdock
