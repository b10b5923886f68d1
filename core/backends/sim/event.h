// A point in a queue.
#pragma once

#include <memory>
#include <optional>

#include "crossdock/runtime/stream.h"
#include "queue.h"

namespace crossdock::sim {

class SimDevice;

struct QueueEvent final : Event::State {
  QueueEvent(const SimDevice& device, std::shared_ptr<Queue> queue) : device(device), queue(std::move(queue)) {}
  bool done() const noexcept override;
  void wait() override;                         // the host waits: counted
  void wait_in_queue(bool may_be_interrupted);  // another queue waits
  void check() const;                           // after it is done: AsyncDeviceError when work before it has failed

  const SimDevice& device;
  std::shared_ptr<Queue> queue;
  Ticket ticket = 0;
  std::optional<Failure> failure;  // set by its task before it is done
};

}  // namespace crossdock::sim
