#include "queue.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "crossdock/runtime/interrupt.h"
#include "crossdock/runtime/spin.h"
#include "crossdock/runtime/worker_thread.h"
#include "event.h"

namespace crossdock::sim {
namespace {

constexpr auto kWorkerSpin = std::chrono::microseconds(5);
constexpr auto kWaiterSpin = std::chrono::microseconds(20);

using Cause = AsyncDeviceError::Cause;

Failure failure_of(const std::string& op, std::string_view message, Ticket ticket, Cause cause = Cause::other,
                   const std::string& device = {}) noexcept {
  try {
    if (message.starts_with(op + ": ")) message.remove_prefix(op.size() + 2);
    return {op, std::string(message), ticket, cause, device};
  } catch (const std::bad_alloc&) {  // short enough to need no memory
    return {"an operation", "out of memory", ticket};
  }
}

// A failure before the event is the waiting task's to report, not the waiter's.
void pass(Event::State& gate, bool may_be_interrupted) {
  if (auto* own = dynamic_cast<QueueEvent*>(&gate)) return own->wait_in_queue(may_be_interrupted);
  try {
    gate.wait();
  } catch (const std::exception&) {
  }
}

}  // namespace

// The tasks that a thread is in, innermost first: while it waits in one, it may do another queue's.
struct Queue::Frame {
  explicit Frame(const Queue* queue) noexcept : queue(queue), outer(innermost) { innermost = this; }
  ~Frame() { innermost = outer; }
  const Queue* queue;
  Frame* outer;
  static thread_local Frame* innermost;
};

thread_local Queue::Frame* Queue::Frame::innermost = nullptr;

Queue::Queue()
    : at_fork_({[this](bool patient) { return hold_for_fork(patient); }, [this] { mutex_.unlock(); },
                [this] { restart_in_child(); }}) {}

bool Queue::in_task() const noexcept {
  for (Frame* frame = Frame::innermost; frame; frame = frame->outer)
    if (frame->queue == this) return true;
  return false;
}

Ticket Queue::push(Task task, Wake wake) {
  Ticket ticket;
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ticket = pushed_.load(std::memory_order_relaxed) + 1;
    pushed_.store(ticket, std::memory_order_release);
  }
  if (wake == Wake::now) wake_worker();
  return ticket;
}

Ticket Queue::last() const { return pushed_.load(std::memory_order_acquire); }

void Queue::wake_worker() noexcept {
  if (!has_worker_.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex_);
    // Without a thread the tasks are still done, by those who wait for them.
    if (!has_worker_.load(std::memory_order_relaxed))
      has_worker_.store(start_worker("crossdock-sim", [self = shared_from_this()] { self->work(); }));
  }
  work_pulse_.fetch_add(1);
  if (sleeping_.load()) work_pulse_.notify_one();
}

void Queue::nudge() noexcept {
  if (!has_worker_.load(std::memory_order_acquire)) wake_worker();
}

void Queue::work() noexcept {
  for (;;) {
    std::uint32_t seen = work_pulse_.load();
    if (step(Interrupts::none)) continue;
    if (stopped_.load() && idle()) return;
    if (spin_until(kWorkerSpin, [&] { return work_pulse_.load(std::memory_order_relaxed) != seen; })) continue;
    sleeping_.store(true);  // before the last look at the pulse (in wait): no wake-up is lost
    work_pulse_.wait(seen);
    sleeping_.store(false);
  }
}

// Does the next task. False when there is none, or another thread is at one.
bool Queue::step(Interrupts interrupts) {
  std::unique_lock lock(mutex_);
  while (AtFork::pending()) {  // between two tasks is the place for a fork
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    lock.lock();
  }
  if (running_ || tasks_.empty()) return false;
  if (auto gate = tasks_.front().gate; gate && !gate->done()) {
    lock.unlock();  // and the task stays in the queue, so that a fork now finds it there
    pass(*gate, interrupts == Interrupts::allowed);
    return true;
  }
  if (interrupts == Interrupts::allowed && !tasks_.front().brief) {
    lock.unlock();
    wake_worker();
    if (has_worker_.load(std::memory_order_relaxed)) return false;
    lock.lock();
    if (running_ || tasks_.empty()) return false;
  }
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  running_ = true;
  executing_.store(true, std::memory_order_relaxed);
  std::optional<Failure> dropped_for = task.always ? std::nullopt : failure_;
  lock.unlock();

  outcome_ = dropped_for || task.abandoned ? std::nullopt : run(task);
  if (task.report) *task.report = dropped_for ? dropped_for : outcome_;
  executing_.store(false, std::memory_order_release);
  {
    Task done = std::move(task);
  }  // what it kept alive is gone before anybody hears that it is done

  lock.lock();
  finish(std::move(outcome_));
  outcome_.reset();
  lock.unlock();
  done_pulse_.beat();
  return true;
}

std::optional<Failure> Queue::run(Task& task) noexcept {
  Frame frame(this);
  Ticket ticket = completed_.load(std::memory_order_relaxed) + 1;
  try {
    task.work();
    return std::nullopt;
  } catch (const AsyncDeviceError& error) {  // of another queue, through its event
    return failure_of(error.op, error.reason, ticket, error.cause, error.device);
  } catch (const LinAlgError& error) {
    return failure_of(task.op, error.what(), ticket, Cause::linalg);
  } catch (const IndexError& error) {
    return failure_of(task.op, error.what(), ticket, Cause::index);
  } catch (const std::bad_alloc&) {
    return failure_of(task.op, "out of host memory", ticket);
  } catch (const std::exception& error) {
    return failure_of(task.op, error.what(), ticket);
  } catch (...) {
    return failure_of(task.op, "unknown exception", ticket);
  }
}

// Under the lock.
void Queue::finish(std::optional<Failure> failure) noexcept {
  if (failure && !failure_) failure_ = std::move(failure);
  running_ = false;
  completed_.store(completed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

template <Queue::Interrupts interrupts>
void Queue::wait_for(Ticket ticket) {
  if (in_task()) return;
  std::optional<InterruptTimer> timer;  // most waits are over before they would read the clock
  while (!done(ticket)) {
    std::uint32_t seen = done_pulse_.seen();
    const bool did_one = step(interrupts);
    if (done(ticket)) break;
    if (!did_one && !spin_until(kWaiterSpin, [&] { return done_pulse_.has_beaten_since(seen); })) {
      done_pulse_.wait(seen, kInterruptSlice);
      if (interrupts == Interrupts::allowed && !done_pulse_.has_beaten_since(seen)) check_interrupt();
    } else if (interrupts == Interrupts::allowed) {
      if (!timer) timer.emplace();
      timer->turn();
    }
  }
  if (!idle()) wake_worker();  // what is left is its work again
}

void Queue::wait(Ticket ticket) {
  if (Frame::innermost) return wait_to_the_end(ticket);  // a task of another queue is not cut in two
  try {
    wait_for<Interrupts::allowed>(ticket);
  } catch (...) {
    wake_worker();
    throw;
  }
}

void Queue::wait_to_the_end(Ticket ticket) noexcept { wait_for<Interrupts::none>(ticket); }

// Under the lock. Null when the task has begun.
Task* Queue::find(Ticket ticket) noexcept {
  const Ticket begun = completed_.load(std::memory_order_relaxed) + (running_ ? 1 : 0);
  return ticket > begun ? &tasks_[ticket - begun - 1] : nullptr;
}

namespace {

void leave_alone(Task& task) noexcept {
  task.report = nullptr;
  task.abandoned = true;  // destroyed in its turn: what it keeps alive may lock what is still held here
}

}  // namespace

bool Queue::abandon(Ticket ticket) noexcept {
  std::lock_guard lock(mutex_);
  Task* task = find(ticket);
  if (task) leave_alone(*task);
  return task;
}

void Queue::abandon_all() noexcept {
  std::lock_guard lock(mutex_);
  for (Task& task : tasks_)
    if (!task.report) leave_alone(task);
}

void Queue::stop() noexcept {
  wait_to_the_end(last());
  stopped_.store(true);
  if (has_worker_.load()) wake_worker();
}

std::optional<Failure> Queue::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

std::optional<Failure> Queue::take_failure() {
  std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void Queue::clear_failure(Ticket ticket) {
  std::lock_guard lock(mutex_);
  if (failure_ && failure_->ticket == ticket) failure_.reset();
}

// A task under way is waited for, since half a task cannot be done again in the child.
bool Queue::hold_for_fork(bool patient) {
  if (!mutex_.try_lock()) return false;
  if (!executing_.load(std::memory_order_acquire) || in_task() || !patient) return true;
  mutex_.unlock();
  return false;
}

// Tasks that wait in the queue are the child's as well, but not those with a waiter: it is not here, and its stack may
// become a new thread's. The task that another thread was at is over.
void Queue::restart_in_child() {
  has_worker_.store(false);
  sleeping_.store(false);
  done_pulse_.restart_in_child();
  for (Task& task : tasks_) {
    if (task.waiter == std::thread::id() || task.waiter == std::this_thread::get_id()) continue;
    leave_alone(task);
  }
  if (running_ && !in_task()) {
    bool cut = executing_.exchange(false);
    finish(cut ? Failure{"fork", "an operation under way was cut by a fork", last()} : std::move(outcome_));
    outcome_.reset();
  }
  mutex_.unlock();
}

}  // namespace crossdock::sim
