// A device with its primary context, and which context is current to a thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "abi.h"
#include "memory.h"
#include "stream.h"

namespace fake {

// The address of a Device is its primary context's handle.
struct Device {
  Device(int index, std::int64_t memory_size);

  const int index;
  Memory memory;
  std::atomic<int> spoiled{0};  // the error that every call gets from now on
  std::atomic<int> retained{0};
  std::atomic<int> pending{0};  // tasks of its streams

  void spoil(int result);
  void heal() { spoiled = 0; }
  std::vector<Device*> reachable();  // itself and the peers whose memory it may touch
  int enable_peer(Device& peer);
  int disable_peer(Device& peer);

  std::shared_ptr<Stream> add_stream(unsigned flags, int priority);
  void remove_stream(const std::shared_ptr<Stream>& stream);
  std::shared_ptr<Stream> legacy();
  std::shared_ptr<Stream> per_thread();
  // Orders the task after what the legacy stream's rule asks for, and gives it to the stream.
  Point submit(const std::shared_ptr<Stream>& stream, Task task);
  void drain();
  void tear_down();  // the last release

 private:
  std::mutex mutex_;
  std::set<Device*> peers_;
  std::shared_ptr<Stream> legacy_;
  std::set<std::shared_ptr<Stream>> streams_;
};

bool initialised();
int initialise();
bool forked();  // the process is the child of one that had initialised
const std::vector<Device*>& devices();
Device* device_of(abi::CUcontext context);  // null for what is no context
Device* device_owning(const void* address);
abi::CUcontext context_of(Device& device);

std::vector<Device*>& context_stack();  // the calling thread's
Device* current();                      // null when there is none

}  // namespace fake
