#include "device.h"

#include <pthread.h>

#include <algorithm>
#include <map>

#include "faults.h"
#include "guard.h"
#include "settings.h"

namespace fake {
namespace {

std::atomic<bool> is_initialised{false}, is_forked{false};
std::mutex initialising;
std::vector<Device*>* all_devices = new std::vector<Device*>;

}  // namespace

bool initialised() { return is_initialised.load(); }
bool forked() { return is_forked.load(); }
const std::vector<Device*>& devices() { return *all_devices; }

int initialise() {
  std::lock_guard lock(initialising);
  if (is_initialised) return abi::kSuccess;
  if (const int result = settings().init_result) return result;
  if (settings().devices == 0) return abi::kNoDevice;
  for (int i = 0; i < settings().devices; ++i) all_devices->push_back(new Device(i, settings().memory));
  pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  catch_kernel_faults();
  is_initialised = true;
  return abi::kSuccess;
}

Device* device_of(abi::CUcontext context) {
  for (Device* device : devices())
    if (context_of(*device) == context) return device;
  return nullptr;
}

Device* device_owning(const void* address) {
  for (Device* device : devices())
    if (device->memory.owns(address)) return device;
  return nullptr;
}

abi::CUcontext context_of(Device& device) { return reinterpret_cast<abi::CUcontext>(&device); }

std::vector<Device*>& context_stack() {
  thread_local std::vector<Device*> stack;
  return stack;
}

Device* current() {
  auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back();
}

Device::Device(int index, std::int64_t memory_size) : index(index), memory(memory_size) {}

void Device::spoil(int result) {
  int none = 0;
  spoiled.compare_exchange_strong(none, result);
}

std::vector<Device*> Device::reachable() {
  std::lock_guard lock(mutex_);
  std::vector<Device*> all(peers_.begin(), peers_.end());
  all.push_back(this);
  return all;
}

int Device::enable_peer(Device& peer) {
  if (&peer == this || !settings().peer) return abi::kPeerAccessUnsupported;
  std::lock_guard lock(mutex_);
  return peers_.insert(&peer).second ? abi::kSuccess : abi::kPeerAccessAlreadyEnabled;
}

int Device::disable_peer(Device& peer) {
  std::lock_guard lock(mutex_);
  return peers_.erase(&peer) ? abi::kSuccess : abi::kPeerAccessNotEnabled;
}

std::shared_ptr<Stream> Device::add_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(*this, flags, priority);
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](auto& one) { return one->over(); });
  streams_.insert(stream);
  return stream;
}

void Device::remove_stream(const std::shared_ptr<Stream>& stream) {
  stream->end();  // and what it has still to do is waited for as before
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](auto& one) { return one->over(); });
}

std::shared_ptr<Stream> Device::legacy() {
  std::lock_guard lock(mutex_);
  if (!legacy_) {
    legacy_ = std::make_shared<Stream>(*this, 0, 0);
    streams_.insert(legacy_);
  }
  return legacy_;
}

std::shared_ptr<Stream> Device::per_thread() {
  struct Own {
    std::map<Device*, std::shared_ptr<Stream>> streams;
    ~Own() {
      if (!forked())
        for (auto& [device, stream] : streams) device->remove_stream(stream);
    }
  };
  thread_local Own own;
  auto& mine = own.streams[this];
  if (!mine) mine = add_stream(0, 0);
  return mine;
}

Point Device::submit(const std::shared_ptr<Stream>& stream, Task task) {
  auto base = legacy();
  std::lock_guard lock(mutex_);
  if (stream == base) {
    for (auto& other : streams_)
      if (other != base && other->blocking()) task.after.push_back(other->last());
  } else if (stream->blocking()) {
    task.after.push_back(base->last());
  }
  std::erase_if(task.after, [](const Point& point) { return point.reached(); });
  return {stream, stream->push(std::move(task))};
}

void Device::drain() {
  std::vector<Point> points;
  {
    std::lock_guard lock(mutex_);
    for (auto& stream : streams_) points.push_back(stream->last());
  }
  for (const Point& point : points) point.wait();
}

void Device::tear_down() {
  drain();
  memory.give_back_all();
  std::lock_guard lock(mutex_);
  peers_.clear();
  spoiled = 0;
}

}  // namespace fake
