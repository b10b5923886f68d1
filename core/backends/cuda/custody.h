// Custody: holds what asynchronous copies read or write on the host until they are over, whoever else lets go of it.
#pragma once

#include <deque>
#include <memory>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/pulse.h"
#include "event.h"

namespace crossdock::cuda {

class Custody {
 public:
  explicit Custody(CudaDevice& device) noexcept : device_(device) {}
  // Until the work that is queued on `stream` now is over. The device's context is current. When the system gives no
  // thread to watch it, or no memory, waits for that here.
  void hold(StreamHandle stream, std::shared_ptr<const void> what) noexcept;
  // Until nothing is held, for the end of the process: references to the user's objects go while that is possible.
  void wait_until_empty();

 private:
  struct Held {
    Recorded over;
    std::shared_ptr<const void> what;
  };
  void watch() noexcept;
  void await(const Recorded& over) noexcept;
  bool ensure_watcher() noexcept;
  bool is_empty();

  CudaDevice& device_;
  std::deque<Held> held_;
  bool watched_ = false, letting_go_ = false;
  Pulse added_, let_go_;
  ForkMutex mutex_;
};

}  // namespace crossdock::cuda
