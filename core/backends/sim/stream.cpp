#include "stream.h"

#include <thread>
#include <utility>

#include "counters.h"
#include "crossdock/runtime/error.h"
#include "device.h"
#include "event.h"
#include "faults.h"

namespace crossdock::sim {
namespace {

void refuse_waiting_for_itself(const Queue& queue, const Device& device) {
  if (queue.in_task())
    throw DeviceError("synchronize: work on " + device.spec() + " cannot wait for its own stream", device.spec());
}

}  // namespace

void surface(const SimDevice& device, const std::optional<Failure>& failure, Ticket waited_for) {
  if (failure) {
    const std::string& where = failure->device.empty() ? device.spec() : failure->device;
    const auto& [op, reason, ticket, cause, elsewhere] = *failure;
    throw AsyncDeviceError(ticket == waited_for
                               ? op + " failed on " + where + ": " + reason
                               : "an earlier operation failed on " + where + ": " + op + ": " + reason +
                                     " (to find its call, call the device's synchronize() after each "
                                     "one: it reports a failure at once)",
                           where, op, reason, cause);
  }
  if (is_lost(device.index()))
    throw AsyncDeviceError("synchronize failed on " + device.spec() + ": the device is lost", device.spec(),
                           "synchronize", "the device is lost", AsyncDeviceError::Cause::other);
}

SimStream::SimStream(SimDevice& device) : Stream(device), device_(device), queue_(std::make_shared<Queue>()) {
  device_.add(queue_);
}

SimStream::~SimStream() {
  queue_->stop();
  device_.remove(queue_);
  device_.allocator().forget(*this);
}

void SimStream::push(Task task) {
  if (operation_finds_device_lost(device_.index())) task.work = [] { throw DeviceError("the device is lost"); };
  queue_->push(std::move(task));
}

void SimStream::run(Task task) {
  refuse_waiting_for_itself(*queue_, device_);
  if (operation_finds_device_lost(device_.index())) task.work = [] { throw DeviceError("the device is lost"); };
  std::optional<Failure> failure;
  task.report = &failure;
  task.waiter = std::this_thread::get_id();
  count_sync(device_.index());
  const Ticket ticket = queue_->push(std::move(task), Queue::Wake::no);
  try {
    queue_->wait(ticket);
  } catch (...) {  // what it would write to may be gone soon
    if (!queue_->abandon(ticket)) queue_->wait_to_the_end(ticket);
    throw;
  }
  if (failure) queue_->clear_failure(failure->ticket);
  surface(device_, failure, ticket);
}

void SimStream::enqueue(const char* op, std::function<void()> work) {
  push({.op = op, .work = std::move(work), .brief = false});
}

Event SimStream::record() {
  if (queue_->idle() && !queue_->failure()) return {};
  auto state = std::make_shared<QueueEvent>(device_, queue_);
  // The task must not own the event: it would keep itself alive through the queue.
  std::weak_ptr<QueueEvent> event = state;
  auto mark = [event] {
    if (auto state = event.lock()) state->failure = state->queue->failure();
  };
  state->ticket = queue_->push({"record", std::move(mark), nullptr, true});
  return Event(state);
}

void SimStream::wait(const Event& event) {
  auto state = event.state();
  if (!state) return;
  auto check = [state] {
    if (auto* own = dynamic_cast<QueueEvent*>(state.get())) return own->check();
    state->wait();
  };
  push({"wait", std::move(check), state});
}

void SimStream::synchronize() {
  refuse_waiting_for_itself(*queue_, device_);
  count_sync(device_.index());
  queue_->wait(queue_->last());
  surface(device_, queue_->take_failure());
}

bool QueueEvent::done() const noexcept {
  if (queue->done(ticket)) return true;
  queue->nudge();
  return false;
}

void QueueEvent::wait_in_queue(bool may_be_interrupted) {
  if (may_be_interrupted)
    queue->wait(ticket);
  else
    queue->wait_to_the_end(ticket);
}

void QueueEvent::check() const {
  if (failure) surface(device, failure);
}

void QueueEvent::wait() {
  refuse_waiting_for_itself(*queue, device);
  count_sync(device.index());
  queue->wait(ticket);
  if (failure) queue->clear_failure(failure->ticket);
  surface(device, failure);
}

}  // namespace crossdock::sim
