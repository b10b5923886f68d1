#include "stream.h"

#include <signal.h>

#include <thread>
#include <utility>

#include "device.h"
#include "faults.h"
#include "guard.h"
#include "settings.h"

namespace fake {
namespace {

struct Gate {
  std::mutex mutex;
  std::condition_variable signal;
  bool held = false;
};

Gate& gate() {
  static Gate* const made = new Gate;
  return *made;
}

void pass_gate() {
  std::unique_lock lock(gate().mutex);
  gate().signal.wait(lock, [] { return !gate().held; });
}

thread_local bool host_function = false;

}  // namespace

void hold_streams(bool held) {
  {
    std::lock_guard lock(gate().mutex);
    gate().held = held;
  }
  gate().signal.notify_all();
}

bool in_host_function() { return host_function; }

bool Point::reached() const { return !stream || stream->reached(ticket); }

void Point::wait() const {
  if (stream) stream->wait(ticket);
}

Ticket Stream::push(Task task) {
  ++device.pending;
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (!has_thread_) {
    has_thread_ = true;
    sigset_t all, before;  // the process's signals are other threads' business
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  pushed_signal_.notify_one();
  return ++pushed_;
}

Point Stream::last() {
  std::lock_guard lock(mutex_);
  return {shared_from_this(), pushed_};
}

void Stream::wait(Ticket ticket) {
  if (reached(ticket)) return;
  std::unique_lock lock(mutex_);
  completed_signal_.wait(lock, [&] { return reached(ticket); });
}

void Stream::end() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  pushed_signal_.notify_one();
}

bool Stream::over() {
  std::lock_guard lock(mutex_);
  return ended_ && reached(pushed_);
}

void Stream::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    pushed_signal_.wait(lock, [&] { return !tasks_.empty() || ended_; });
    if (tasks_.empty()) return;
    {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      run(task);
    }
    lock.lock();
    completed_.fetch_add(1, std::memory_order_release);
    completed_signal_.notify_all();
  }
}

// Before anybody hears that the device is idle, its memory is closed.
void Stream::run(Task& task) {
  for (const Point& point : task.after) point.wait();
  pass_gate();
  std::vector<Device*> touched = execute(task);
  touched.push_back(&device);
  --device.pending;
  for (Device* one : touched)
    if (!one->pending) one->memory.close_for_good();
}

// The devices whose memory was opened for it.
std::vector<Device*> Stream::execute(Task& task) {
  if (!task.kind) {  // a mark only
    task.work();
    return {};
  }
  if (const int delay = settings().delay_us.load()) std::this_thread::sleep_for(std::chrono::microseconds(delay));
  if (device.spoiled.load()) return {};
  if (const int fault = ordered_fault(task.kind)) {
    device.spoil(fault);
    return {};
  }
  std::vector<Device*> open = task.touches_memory ? task.devices : std::vector<Device*>{};
  if (task.touches_memory && open.empty()) open = device.reachable();
  for (Device* one : open) one->memory.open();
  host_function = !task.touches_memory;
  const int result = task.touches_memory ? guarded(task.work) : task.work();
  host_function = false;
  for (Device* one : open) one->memory.close();
  if (result) device.spoil(result);
  return open;
}

}  // namespace fake
