// A flow of control with a stack of its own, left and entered by hand.
#pragma once

#include <cstddef>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace fake {

#ifdef __x86_64__

extern "C" void fake_cuda_switch(void** from, void* to);

struct Fiber {
  void* sp = nullptr;

  void prepare(std::byte* stack, std::size_t nbytes, void (*entry)()) {
    auto** top = reinterpret_cast<void**>(stack + nbytes) - 1;  // as a call would leave it: 8 bytes off 16
    *--top = reinterpret_cast<void*>(entry);
    sp = top - 6;  // registers that a call keeps; their values mean nothing yet
  }
  static void go(Fiber& from, Fiber& to) { fake_cuda_switch(&from.sp, to.sp); }
};

#else

struct Fiber {
  ucontext_t context;

  void prepare(std::byte* stack, std::size_t nbytes, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = nbytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  static void go(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }
};

#endif

}  // namespace fake
