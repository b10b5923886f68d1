#include "crossdock/runtime/dynamic_library.h"

#include <dlfcn.h>

namespace crossdock {

DynamicLibrary DynamicLibrary::open(const std::string& path) noexcept {
  DynamicLibrary library;
  // Local: its symbols must not serve libraries that the user loads later.
  library.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_) return library;
  const char* why = ::dlerror();
  try {
    library.error_ = why ? why : "cannot be opened";
  } catch (const std::exception&) {  // no memory for the reason; the handle says enough
  }
  return library;
}

void* DynamicLibrary::symbol(const char* name) const noexcept { return handle_ ? ::dlsym(handle_, name) : nullptr; }

}  // namespace crossdock
