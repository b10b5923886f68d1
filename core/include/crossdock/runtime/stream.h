// Stream: an in-order queue of work on a device. Event: a point in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace crossdock {

class Device;

// A point in a stream. Copyable handle; a default-made event has happened.
class Event {
 public:
  struct State {
    virtual ~State() = default;
    virtual bool done() const noexcept = 0;
    virtual void wait() = 0;  // returns when reached; throws AsyncDeviceError when work before it has failed
  };
  Event() = default;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}
  bool done() const noexcept { return !state_ || state_->done(); }
  void synchronize() const {
    if (state_) state_->wait();
  }
  const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

class Stream {
 public:
  explicit Stream(Device& device) noexcept : device_(device) {}
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const noexcept { return device_; }
  // Host work, in order with the rest of the stream. `op` names it in errors. On a host device it runs at once.
  virtual void enqueue(const char* op, std::function<void()> work) = 0;
  virtual Event record() = 0;
  virtual void wait(const Event& event) = 0;  // later work here starts after `event`; does not block the host
  virtual void synchronize() = 0;             // blocks; throws AsyncDeviceError when earlier work has failed
  virtual std::uintptr_t native_handle() const noexcept { return 0; }

 private:
  Device& device_;
};

}  // namespace crossdock
