// Streams and events: what was asked for is done in order by a thread per stream, behind the host's back.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "abi.h"

namespace fake {

struct Device;
class Stream;
using Clock = std::chrono::steady_clock;
using Ticket = std::uint64_t;  // which task of a stream, from 1

// A point of a stream's work.
struct Point {
  std::shared_ptr<Stream> stream;
  Ticket ticket = 0;
  bool reached() const;
  void wait() const;
};

struct Task {
  const char* kind;           // "run:copy", ...: the name of its faults on demand
  std::function<int()> work;  // its result; anything but success spoils the whole context
  bool touches_memory = true;
  std::vector<Device*> devices = {};  // whose memory is opened; none: the stream's device and its peers
  std::vector<Point> after = {};
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(Device& device, unsigned flags, int priority) : device(device), flags(flags), priority(priority) {}

  Ticket push(Task task);
  Point last();
  bool reached(Ticket ticket) const { return completed_.load(std::memory_order_acquire) >= ticket; }
  void wait(Ticket ticket);
  void end();   // the thread ends when all is done
  bool over();  // ... and all is done

  Device& device;
  const unsigned flags;
  const int priority;
  bool blocking() const { return !(flags & abi::kStreamNonBlocking); }

 private:
  void work();
  void run(Task& task);
  std::vector<Device*> execute(Task& task);

  std::mutex mutex_;
  std::condition_variable pushed_signal_, completed_signal_;
  std::deque<Task> tasks_;
  Ticket pushed_ = 0;
  std::atomic<Ticket> completed_{0};
  bool has_thread_ = false, ended_ = false;
};

struct Event {
  Event(Device& device, unsigned flags) : device(device), flags(flags) {}
  Device& device;
  const unsigned flags;
  std::mutex mutex;
  Point point;                                         // no stream: never recorded
  std::shared_ptr<std::atomic<std::int64_t>> time_ns;  // of the last record, 0 before it was reached
};

// Held: no stream begins anything, so that a test can look at what is not done yet.
void hold_streams(bool held);
bool in_host_function();

}  // namespace fake
