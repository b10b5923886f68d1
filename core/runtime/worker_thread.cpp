#include "crossdock/runtime/worker_thread.h"

#include <pthread.h>

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace crossdock {
namespace {

// Signals of the process stay with the user's threads; those that a thread's own mistake raises must not be blocked.
sigset_t signals_of_the_process() noexcept {
  sigset_t set;
  sigfillset(&set);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&set, own);
  return set;
}

}  // namespace

bool start_worker(const char* label, std::function<void()> work) noexcept {
  sigset_t blocked = signals_of_the_process(), before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  bool started = true;
  try {
    std::thread([label, work = std::move(work)] {
#ifdef __linux__
      pthread_setname_np(pthread_self(), label);
#else
      (void)label;
#endif
      work();
    }).detach();
  } catch (const std::exception&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace crossdock
