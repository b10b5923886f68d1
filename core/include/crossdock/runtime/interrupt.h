// Interrupt: how a user who presses Ctrl-C gets out of a wait.
#pragma once

#include <chrono>

namespace crossdock {

// How long a wait goes on before it asks again, where no signal wakes it.
inline constexpr auto kInterruptSlice = std::chrono::milliseconds(50);

// Installs what long waits ask, without a lock held and about once a slice, whether to go on: it throws to end the
// wait, and the work that was waited for goes on. Null: nobody interrupts.
void set_interrupt_check(void (*check)()) noexcept;
void check_interrupt();

// Asks once a slice, where a wait has its turns often.
class InterruptTimer {
 public:
  void turn() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kInterruptSlice;
    check_interrupt();
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterruptSlice;
};

}  // namespace crossdock
