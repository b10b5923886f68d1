// The kernels that the fake can launch. Generated files register theirs.
#pragma once

#include <cstddef>
#include <type_traits>

namespace fake {

struct Kernel {
  const char* expression;  // that NVRTC is given
  void (*function)();      // its address is that of the symbol with the lowered name
  void (*run)(const void* args);
  std::size_t args_nbytes;
};

struct KernelList {
  const Kernel* kernels;
  std::size_t count;
  KernelList* next;
};

void add_kernels(KernelList& list);
KernelList* kernel_lists();
const Kernel* find_kernel(const char* lowered_name);  // null when there is none of that name

template <class Args>
Args args_of(void (*)(Args));

template <auto function>
static void run_kernel(const void* args) {
  using Args = decltype(args_of(function));
  static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= 4096, "one plain struct of at most 4 KB");
  function(*static_cast<const Args*>(args));
}

template <auto function>
Kernel kernel(const char* expression) {
  return {expression, reinterpret_cast<void (*)()>(function), run_kernel<function>,
          sizeof(decltype(args_of(function)))};
}

}  // namespace fake
