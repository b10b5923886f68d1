// Entry points for streams and events.
#include <map>
#include <mutex>

#include "entry.h"
#include "faults.h"

namespace fake::abi {
namespace {

std::mutex handles_lock;

template <class T>
std::map<void*, std::shared_ptr<T>>& handles() {
  static auto* const made = new std::map<void*, std::shared_ptr<T>>;
  return *made;
}

template <class T>
std::shared_ptr<T> look_up(void* handle) {
  std::lock_guard lock(handles_lock);
  auto found = handles<T>().find(handle);
  return found == handles<T>().end() ? nullptr : found->second;
}

template <class T>
void* add(std::shared_ptr<T> made) {
  std::lock_guard lock(handles_lock);
  void* handle = made.get();
  handles<T>()[handle] = std::move(made);
  return handle;
}

template <class T>
std::shared_ptr<T> remove(void* handle) {
  std::lock_guard lock(handles_lock);
  auto found = handles<T>().find(handle);
  if (found == handles<T>().end()) return nullptr;
  auto removed = std::move(found->second);
  handles<T>().erase(found);
  return removed;
}

std::shared_ptr<Event> event_of(CUevent handle) { return look_up<Event>(handle); }

CUresult make_stream(CUstream* stream, unsigned flags, int priority) {
  if (!stream || flags > kStreamNonBlocking) return kInvalidValue;
  const int clamped = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  *stream = static_cast<CUstream>(add(current()->add_stream(flags, clamped)));
  count("live_streams");
  return kSuccess;
}

std::pair<Point, std::shared_ptr<std::atomic<std::int64_t>>> last_record(Event& event) {
  std::lock_guard lock(event.mutex);
  return {event.point, event.time_ns};
}

Point point_of(Event& event) { return last_record(event).first; }

CUresult elapsed(float* ms, CUevent begin, CUevent end) {
  auto from = event_of(begin), to = event_of(end);
  if (!ms) return kInvalidValue;
  if (!from || !to || ((from->flags | to->flags) & kEventDisableTiming)) return kInvalidHandle;
  auto [first, begun] = last_record(*from);
  auto [second, ended] = last_record(*to);
  if (!begun || !ended) return kInvalidHandle;
  if (!first.reached() || !second.reached()) return kNotReady;
  *ms = static_cast<float>(ended->load() - begun->load()) * 1e-6f;
  return kSuccess;
}

}  // namespace

std::shared_ptr<Stream> stream_of(CUstream handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (!number || number == kLegacyStream) return current()->legacy();
  if (number == kPerThreadStream) return current()->per_thread();
  return look_up<Stream>(handle);
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  ENTER(cuStreamCreate, context);
  return make_stream(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  ENTER(cuStreamCreateWithPriority, context);
  return make_stream(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(cuStreamDestroy_v2, context);
  auto removed = remove<Stream>(stream);
  if (!removed) return kInvalidHandle;
  removed->device.remove_stream(removed);
  count("live_streams", -1);
  return kSuccess;
}

CUresult cuStreamSynchronize(CUstream handle) {
  ENTER(cuStreamSynchronize, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  count("syncs");
  stream->device.submit(stream, {.kind = nullptr, .work = [] { return 0; }}).wait();
  return stream->device.spoiled.load();
}

CUresult cuStreamQuery(CUstream handle) {
  ENTER(cuStreamQuery, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (const int spoiled = stream->device.spoiled) return spoiled;
  return stream->last().reached() ? kSuccess : kNotReady;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  ENTER(cuStreamWaitEvent, context);
  auto stream = stream_of(handle);
  auto found = event_of(event);
  if (!stream || !found) return kInvalidHandle;
  if (flags) return kInvalidValue;
  count("stream_waits");
  Task wait{.kind = nullptr, .work = [] { return 0; }};
  if (Point point = point_of(*found); !point.reached()) wait.after.push_back(point);
  stream->device.submit(stream, std::move(wait));
  return kSuccess;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  ENTER(cuStreamGetCtx, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!context) return kInvalidValue;
  *context = context_of(stream->device);
  return kSuccess;
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  ENTER(cuStreamGetFlags, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!flags) return kInvalidValue;
  *flags = stream->flags;
  return kSuccess;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  ENTER(cuStreamGetPriority, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!priority) return kInvalidValue;
  *priority = stream->priority;
  return kSuccess;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  ENTER(cuLaunchHostFunc, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!function) return kInvalidValue;
  count("host_functions");
  auto work = [=] {
    function(data);
    return 0;
  };
  stream->device.submit(stream, {.kind = "run:host", .work = work, .touches_memory = false});
  return kSuccess;
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  ENTER(cuEventCreate, context);
  if (!event || flags > 7 || ((flags & kEventInterprocess) && !(flags & kEventDisableTiming))) return kInvalidValue;
  *event = static_cast<CUevent>(add(std::make_shared<Event>(*current(), flags)));
  count("live_events");
  return kSuccess;
}

CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(cuEventDestroy_v2, context);
  if (!remove<Event>(event)) return kInvalidHandle;
  count("live_events", -1);
  return kSuccess;
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  ENTER(cuEventRecord, context);
  auto event = event_of(handle);
  auto stream = stream_of(stream_handle);
  if (!event || !stream || &event->device != &stream->device) return kInvalidHandle;
  count("records");
  auto time = std::make_shared<std::atomic<std::int64_t>>(0);
  auto mark = [time] {
    *time = Clock::now().time_since_epoch().count();
    return 0;
  };
  std::lock_guard lock(event->mutex);
  event->time_ns = time;
  event->point = stream->device.submit(stream, {.kind = nullptr, .work = mark});
  return kSuccess;
}

CUresult cuEventQuery(CUevent handle) {
  ENTER(cuEventQuery, context);
  auto event = event_of(handle);
  if (!event) return kInvalidHandle;
  if (const int spoiled = event->device.spoiled) return spoiled;
  return point_of(*event).reached() ? kSuccess : kNotReady;
}

CUresult cuEventSynchronize(CUevent handle) {
  ENTER(cuEventSynchronize, context);
  auto event = event_of(handle);
  if (!event) return kInvalidHandle;
  count("syncs");
  point_of(*event).wait();
  return event->device.spoiled.load();
}

CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end) {
  ENTER(cuEventElapsedTime, context);
  return elapsed(ms, begin, end);
}

CUresult cuEventElapsedTime_v2(float* ms, CUevent begin, CUevent end) {
  ENTER(cuEventElapsedTime_v2, context);
  return elapsed(ms, begin, end);
}

}  // namespace fake::abi
