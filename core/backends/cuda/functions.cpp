#include "functions.h"

#include <mutex>
#include <string>

#include "compiler.h"
#include "crossdock/runtime/error.h"
#include "device.h"

namespace crossdock::cuda {

Functions::~Functions() {
  for (auto& row : rows_) delete[] row.load();
}

// Nothing is locked while a kernel is compiled; two threads may both do it, and the first to come back is used.
FunctionHandle Functions::load(const KernelFamily& family, int number) {
  const KernelName name{family.header(), family.expression(number)};
  if (name.expression.empty())
    throw NotImplementedError("no kernel of this kind (" + name.header + ", " + std::to_string(number) + ") on " +
                              device_.spec());
  const Image image = compile(name, device_.architecture());
  const Driver& driver = device_.driver();
  std::lock_guard lock(mutex_);
  auto& slot = rows_[static_cast<std::size_t>(family.id())];
  if (!slot.load())
    slot.store(new std::atomic<FunctionHandle>[static_cast<std::size_t>(family.size())] {}, std::memory_order_release);
  auto& function = slot.load()[number];
  if (const FunctionHandle there = function.load()) return there;
  ModuleHandle module = nullptr;  // stays loaded, as the device does
  device_.check(driver.module_load(&module, image.cubin.data()), ("loading the kernel " + name.expression).c_str());
  FunctionHandle found = nullptr;
  device_.check(driver.module_function(&found, module, image.entry.c_str()),
                ("finding the kernel " + name.expression).c_str());
  function.store(found, std::memory_order_release);
  return found;
}

}  // namespace crossdock::cuda
