#include "event.h"

#include <mutex>
#include <new>

#include "device.h"

namespace crossdock::cuda {

EventHandle EventPool::take() {
  {
    std::lock_guard lock(mutex_);
    if (!unused_.empty()) {
      const EventHandle event = unused_.back();
      unused_.pop_back();
      return event;
    }
  }
  EventHandle event = nullptr;
  device_.check(device_.driver().event_create(&event, kEventDisableTiming), "cuEventCreate");
  return event;
}

void EventPool::put_back(EventHandle event) noexcept {
  try {
    std::lock_guard lock(mutex_);
    unused_.push_back(event);
  } catch (const std::bad_alloc&) {  // this one is lost
  }
}

Recorded::Recorded(CudaDevice& device, StreamHandle stream) : device_(device), handle_(device.events().take()) {
  const Result result = device.driver().event_record(handle_, stream);
  if (result == kSuccess) return;
  device.events().put_back(handle_);
  device.check(result, "cuEventRecord");
}

Recorded::~Recorded() {
  if (handle_) device_.events().put_back(handle_);
}

}  // namespace crossdock::cuda
