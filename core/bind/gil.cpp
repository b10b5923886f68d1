#include "gil.h"

#include <unistd.h>

namespace crossdock::bind {

void sleep_for_good() noexcept {
  for (;;) pause();
}

Unlocked::~Unlocked() {
  unless_ended([this] { PyEval_RestoreThread(thread_); });
}

Locked::Locked() : before_(unless_ended([] { return PyGILState_Ensure(); })) {}

}  // namespace crossdock::bind
