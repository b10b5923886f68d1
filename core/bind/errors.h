// Errors at the border: C++ ones become those of crossdock.errors, with their facts.
#pragma once

#include <nanobind/nanobind.h>

namespace crossdock::bind {

// Sets the Python error for the exception being handled. Call inside a catch block, with the GIL.
void set_python_error() noexcept;

// For C slots: runs `body`, and turns an exception into the Python error and `failed`.
template <class Result, class Body>
Result guarded(Result failed, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

// For everything bound with nanobind.
void register_error_translation();

}  // namespace crossdock::bind
