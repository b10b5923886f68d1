#include "fiber.h"

#ifdef __x86_64__
asm(R"(
.text
.globl fake_cuda_switch
.hidden fake_cuda_switch
.type fake_cuda_switch, @function
fake_cuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size fake_cuda_switch, .-fake_cuda_switch
)");
#endif
