// Python's lock, given up and taken back, as by nanobind's guards; but threads that are left when the process ends
// sleep from then on, as Python 3.14 has them do.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

namespace crossdock::bind {

namespace nb = nanobind;

[[noreturn]] void sleep_for_good() noexcept;

// What `call` gives, which calls Python. Before 3.14 Python ends a thread that comes too late by pthread_exit, which
// would unwind frames of ours and nanobind's that must not be: this is the place where it stops.
template <class Call>
auto unless_ended(Call&& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    sleep_for_good();
  }
}

// In its scope the calling thread, which has the lock, does without.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

// In its scope the calling thread, of whom Python may never have heard, has the lock.
class Locked {
 public:
  Locked();
  ~Locked() { PyGILState_Release(before_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE before_;
};

}  // namespace crossdock::bind
