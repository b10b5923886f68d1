// A stream of a simulated accelerator.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "crossdock/runtime/stream.h"
#include "queue.h"

namespace crossdock::sim {

class SimDevice;

class SimStream final : public Stream {
 public:
  explicit SimStream(SimDevice& device);
  ~SimStream() override;

  void enqueue(const char* op, std::function<void()> work) override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;

  // Queues the task and waits for it, as one synchronisation; AsyncDeviceError when it failed or was dropped.
  void run(Task task);
  void push(Task task);
  const std::shared_ptr<Queue>& queue() const noexcept { return queue_; }

 private:
  SimDevice& device_;
  std::shared_ptr<Queue> queue_;  // shared with its worker and with events
};

// Tells the failure to the caller, as that of an earlier operation unless it is of the task that was waited for; and a
// lost device, failure or not.
void surface(const SimDevice& device, const std::optional<Failure>& failure, Ticket waited_for = 0);

}  // namespace crossdock::sim
