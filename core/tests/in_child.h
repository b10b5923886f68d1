// Runs a check in a forked child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "gtest/gtest.h"

// The thread sanitizer refuses to start threads in the child of a process that has some.
#if defined(__SANITIZE_THREAD__)
#define CROSSDOCK_SKIP_FORK_UNDER_TSAN() GTEST_SKIP() << "no threads in a child under the thread sanitizer"
#else
#define CROSSDOCK_SKIP_FORK_UNDER_TSAN() static_cast<void>(0)
#endif

// gcc's address sanitizer does not hold its allocator's locks over a fork: a child that is made while another thread
// allocates may wait for one for ever.
#if defined(__SANITIZE_ADDRESS__)
#define CROSSDOCK_SKIP_FORK_BESIDE_THREADS_UNDER_ASAN() \
  GTEST_SKIP() << "no fork beside threads that allocate under the address sanitizer"
#else
#define CROSSDOCK_SKIP_FORK_BESIDE_THREADS_UNDER_ASAN() static_cast<void>(0)
#endif

namespace crossdock::test {

// True when `check()` gave true in the child within 20 seconds.
template <class Check>
bool in_child(Check&& check) {
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that hangs dies
    bool good = false;
    try {
      good = check();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace crossdock::test
