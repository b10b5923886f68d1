// DynamicLibrary: a shared library opened at run time; closed never (its code may still run at exit).
#pragma once

#include <string>

namespace crossdock {

class DynamicLibrary {
 public:
  // Empty handle when it cannot be opened; error() says why.
  static DynamicLibrary open(const std::string& path) noexcept;
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  const std::string& error() const noexcept { return error_; }
  void* symbol(const char* name) const noexcept;  // null when it is not there
  template <class Function>
  Function* function(const char* name) const noexcept {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace crossdock
