// Ctrl-C in a long wait.
#include <nanobind/nanobind.h>

#include <atomic>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/interrupt.h"
#include "gil.h"
#include "types.h"

namespace crossdock::bind {

namespace {

std::atomic<unsigned long> main_thread{0};  // Python runs signal handlers there only

// Runs the handlers of signals that have come; what they raise comes out of the wait.
void check_signals() {
  if (PyThread_get_thread_ident() != main_thread.load(std::memory_order_relaxed) || !Py_IsInitialized()) return;
  const Locked locked;
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

}  // namespace

void heed_signals() {
  main_thread.store(nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident")));
  // Never freed. In a forked child the thread that forked is the main one.
  static AtFork* follow =
      new AtFork({[](bool) { return true; }, [] {}, [] { main_thread.store(PyThread_get_thread_ident()); }});
  (void)follow;
  set_interrupt_check(&check_signals);
}

}  // namespace crossdock::bind
