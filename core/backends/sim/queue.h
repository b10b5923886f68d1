// Queue: work that is done in order, behind the host's back, by one worker thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/pulse.h"
#include "crossdock/runtime/stream.h"

namespace crossdock::sim {

using Ticket = std::uint64_t;  // which task of a queue, from 1; 0 is done at once

// Why a task failed. The reason is without the operation's name before it.
struct Failure {
  std::string op, reason;
  Ticket ticket = 0;
  AsyncDeviceError::Cause cause = AsyncDeviceError::Cause::other;
  std::string device = {};  // where, when that was another device, which was waited for
};

struct Task {
  std::string op;
  std::function<void()> work;
  std::shared_ptr<Event::State> gate = nullptr;  // not begun before this has happened
  bool always = false;                           // begun even behind a failure
  std::optional<Failure>* report = nullptr;      // of its waiter: why it failed, or which failure it was dropped for
  bool abandoned = false;                        // not begun, as nobody is left who wants it
  bool brief = true;                             // so that a waiter may do it itself, deaf to interrupts meanwhile
  std::thread::id waiter = {};                   // the thread that waits for it, with `report` and more on its stack
};

// Work behind a failure is dropped until the failure was told (take_failure): results made from garbage help nobody.
// A thread that waits does waiting tasks itself while the worker is not at it: waking a thread costs more than most
// tasks. Made by make_shared; the worker shares it.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  Queue();

  enum class Wake { now, no };  // no: the caller waits for the task at once
  Ticket push(Task task, Wake wake = Wake::now);
  Ticket last() const;  // the newest task's
  bool done(Ticket ticket) const noexcept { return completed_.load(std::memory_order_acquire) >= ticket; }
  bool idle() const noexcept { return done(pushed_.load(std::memory_order_acquire)); }
  // Both return at once in a task of this queue, which cannot wait for itself.
  void wait(Ticket ticket);  // may be interrupted (interrupt.h): then it throws, and the work goes on
  void wait_to_the_end(Ticket ticket) noexcept;
  bool abandon(Ticket ticket) noexcept;  // its waiter goes away; false when it has begun
  void abandon_all() noexcept;           // what has not begun
  bool in_task() const noexcept;         // the calling thread is in a task of this queue
  void nudge() noexcept;                 // lets the worker begin if it has not, as in a forked child
  void stop() noexcept;                  // the worker ends when all is done

  std::optional<Failure> failure() const;
  std::optional<Failure> take_failure();
  void clear_failure(Ticket ticket);  // when it is that task's

 private:
  struct Frame;
  enum class Interrupts { allowed, none };
  bool step(Interrupts interrupts);
  template <Interrupts interrupts>
  void wait_for(Ticket ticket);
  std::optional<Failure> run(Task& task) noexcept;
  Task* find(Ticket ticket) noexcept;
  void finish(std::optional<Failure> failure) noexcept;
  void work() noexcept;
  void wake_worker() noexcept;
  bool hold_for_fork(bool patient);
  void restart_in_child();

  std::deque<Task> tasks_;
  bool running_ = false;                // some thread is between taking a task out and counting it as completed
  std::optional<Failure> failure_;      // the first not yet told
  std::optional<Failure> outcome_;      // of the task that has just been run; by its thread
  std::atomic<bool> executing_{false};  // ... and is still touching memory
  std::atomic<bool> has_worker_{false}, sleeping_{false}, stopped_{false};
  std::atomic<Ticket> pushed_{0}, completed_{0};
  std::atomic<std::uint32_t> work_pulse_{0};
  Pulse done_pulse_;
  mutable std::mutex mutex_;
  AtFork at_fork_;
};

}  // namespace crossdock::sim
