#include "guard.h"

#include <setjmp.h>
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "abi.h"
#include "faults.h"

namespace fake {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[4];
thread_local sigjmp_buf* landing = nullptr;
thread_local void* fault_address = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (landing) {
    fault_address = info->si_addr;
    siglongjmp(*landing, signal);
  }
  for (int i = 0; i < 4; ++i) {
    if (kSignals[i] != signal) continue;
    if ((before[i].sa_flags & SA_SIGINFO) && before[i].sa_sigaction)
      return before[i].sa_sigaction(signal, info, context);
    sigaction(signal, &before[i], nullptr);  // and the same instruction faults again
  }
}

// A fault may be that of a fiber whose stack is at its end.
void give_thread_a_stack_for_signals() {
  constexpr std::size_t size = 64 << 10;
  struct Own {
    std::unique_ptr<char[]> memory = std::make_unique<char[]>(size);
    Own() {
      stack_t stack{memory.get(), 0, size};
      sigaltstack(&stack, nullptr);
    }
    ~Own() {
      stack_t none{nullptr, SS_DISABLE, 0};
      sigaltstack(&none, nullptr);
    }
  };
  thread_local Own own;
}

std::string in_hex(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

}  // namespace

void catch_kernel_faults() {
  for (int i = 0; i < 4; ++i) {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(kSignals[i], &action, &before[i]);
  }
}

int guarded(const std::function<int()>& work) {
  give_thread_a_stack_for_signals();
  sigjmp_buf here;
  sigjmp_buf* volatile outer = landing;
  const int signal = sigsetjmp(here, 1);
  if (!signal) {
    landing = &here;
    const int result = work();
    landing = outer;
    return result;
  }
  landing = outer;
  if (signal == SIGFPE) return say("an integer division without a result in a kernel"), abi::kLaunchFailed;
  if (signal == SIGILL)  // the trap of the checks that kernels are compiled with
    return say("a kernel used an address off its type's alignment, or an index outside an array"),
           abi::kMisalignedAddress;
  say("an illegal address was touched on the device: " + in_hex(fault_address));
  return abi::kIllegalAddress;
}

}  // namespace fake
