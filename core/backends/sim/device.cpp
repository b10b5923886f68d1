#include "device.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "checksum.h"
#include "counters.h"
#include "crossdock/runtime/error.h"
#include "faults.h"
#include "model.h"
#include "settings.h"

namespace crossdock::sim {

SimDevice::SimDevice(Backend& backend, int index)
    : Device(backend, index), allocator_(*this), stream_(std::make_unique<SimStream>(*this)) {}

SimStream& SimDevice::own(Stream& stream) const {
  if (&stream.device() == this) [[likely]]
    return static_cast<SimStream&>(stream);
  throw DeviceError("a stream of " + stream.device().spec() + " cannot serve " + spec(), spec());
}

namespace {

// Even where each element of the shape stands for a thousand steps, as in linear algebra.
bool is_brief(const Launch& launch) noexcept {
  constexpr std::int64_t kBrief = 1 << 18;
  std::int64_t work = 1;
  for (auto extent : launch.shape)
    if (__builtin_mul_overflow(work, extent, &work)) return false;
  return work <= kBrief && is_brief_copy(0);
}

}  // namespace

void SimDevice::launch(Launch launch) {
  Kernel kernel = backend().kernel(launch.op, launch.dtype, *this);
  SimStream& stream = launch.stream ? own(*launch.stream) : *stream_;
  launch.stream = &stream;
  const char* op = name(launch.op).data();
  for (int i = 0; i < launch.noperands; ++i) {
    auto& operand = launch.operands[static_cast<std::size_t>(i)];
    if (operand.data) operand.data = allocator_.alias(op, operand.data, 0);
  }
  const bool brief = is_brief(launch);
  auto work = [kernel, launch = std::move(launch)] {
    Modelled speed;
    kernel(launch);
  };
  stream.push({.op = op, .work = std::move(work), .brief = brief});
}

void SimDevice::copy(SimStream& stream, Task task, bool blocking) {
  if (blocking)
    stream.run(std::move(task));
  else
    stream.push(std::move(task));
}

namespace {

void fail_copy() { throw DeviceError("the copy failed (a fault that was asked for)"); }

}  // namespace

void SimDevice::upload(std::byte* to, const std::byte* from_host, std::size_t nbytes, Stream& stream,
                       std::shared_ptr<const void> keepalive, bool blocking) {
  upload(to, from_host, nbytes, stream, std::move(keepalive), blocking ? HostSide::waited_for : HostSide::checked);
}

void SimDevice::upload_staged(std::byte* to, std::shared_ptr<const PinnedBlock> block, std::size_t nbytes,
                              Stream& stream) {
  const std::byte* from = block->data();
  upload(to, from, nbytes, stream, std::move(block), HostSide::staged);
}

void SimDevice::upload(std::byte* to, const std::byte* from, std::size_t nbytes, Stream& stream,
                       std::shared_ptr<const void> keepalive, HostSide host_side) {
  if (!nbytes) return;
  SimStream& here = own(stream);
  std::byte* target = allocator_.alias("upload", to, nbytes);
  const bool blocking = host_side == HostSide::waited_for, checked = host_side == HostSide::checked;
  if (copy_fails(index())) return copy(here, {"upload", fail_copy}, blocking);
  count_copy(index(), Direction::host_to_device, nbytes);
  std::uint64_t sum = checked ? checksum(from, nbytes) : 0;
  auto work = [=, keepalive = std::move(keepalive)] {
    Modelled speed(nbytes, settings().to_device_gbps);
    std::memcpy(target, from, nbytes);
    if (checked && checksum(target, nbytes) != sum)
      throw DeviceError("the host buffer was changed before its asynchronous copy had finished");
  };
  const bool brief = is_brief_copy(nbytes, settings().to_device_gbps);
  copy(here, {.op = "upload", .work = std::move(work), .brief = brief}, blocking);
}

void SimDevice::download(std::byte* to_host, const std::byte* from, std::size_t nbytes, Stream& stream,
                         std::shared_ptr<const void> keepalive, bool blocking) {
  if (!nbytes) return;
  SimStream& here = own(stream);
  const std::byte* source = allocator_.alias("download", from, nbytes);
  if (copy_fails(index())) return copy(here, {"download", fail_copy}, blocking);
  count_copy(index(), Direction::device_to_host, nbytes);
  auto work = [=, keepalive = std::move(keepalive)] {
    Modelled speed(nbytes, settings().to_host_gbps);
    std::memcpy(to_host, source, nbytes);
  };
  const bool brief = is_brief_copy(nbytes, settings().to_host_gbps);
  copy(here, {.op = "download", .work = std::move(work), .brief = brief}, blocking);
}

void SimDevice::copy_from(std::byte* to, Device& source, const std::byte* from, std::size_t nbytes, Stream& stream) {
  if (!nbytes) return;
  if (&source.backend() != &backend())
    throw DeviceError("copy: " + spec() + " cannot read memory of " + source.spec(), spec());
  auto& other = static_cast<SimDevice&>(source);
  std::byte* target = allocator_.alias("copy", to, nbytes);
  const std::byte* origin = other.allocator_.alias("copy", from, nbytes);
  SimStream& here = &stream.device() == this ? own(stream) : other.own(stream);
  Stream* involved[] = {stream_.get(), other.stream_.get()};
  for (Stream* one : involved)
    if (one != &here) here.wait(one->record());
  bool between = &other != this;
  if (between && copy_fails(index())) return here.push({"copy", fail_copy});
  if (between) count_copy(index(), Direction::device_to_device, nbytes);
  auto work = [=] {
    Modelled speed;
    std::memmove(target, origin, nbytes);
  };
  here.push({.op = "copy", .work = std::move(work), .brief = is_brief_copy(nbytes)});
  if (std::all_of(std::begin(involved), std::end(involved), [&](Stream* one) { return one == &here; })) return;
  Event copied = here.record();
  for (Stream* one : involved)
    if (one != &here) one->wait(copied);
}

void SimDevice::add(std::shared_ptr<Queue> queue) {
  std::lock_guard lock(queues_mutex_);
  queues_.push_back(std::move(queue));
}

void SimDevice::remove(const std::shared_ptr<Queue>& queue) noexcept {
  std::lock_guard lock(queues_mutex_);
  std::erase(queues_, queue);
}

std::vector<std::shared_ptr<Queue>> SimDevice::queues() const {
  std::lock_guard lock(queues_mutex_);
  return queues_;
}

bool SimDevice::idle() const noexcept {
  std::lock_guard lock(queues_mutex_);
  return std::all_of(queues_.begin(), queues_.end(), [](auto& queue) { return queue->idle(); });
}

void SimDevice::drain() {
  for (auto& queue : queues()) queue->wait(queue->last());
}

void SimDevice::abandon() noexcept {
  const auto all = queues();
  for (auto& queue : all) queue->abandon_all();
  for (auto& queue : all) queue->wait_to_the_end(queue->last());
}

std::optional<Failure> SimDevice::take_failure() {
  std::optional<Failure> first;
  for (auto& queue : queues()) {
    auto failure = queue->take_failure();
    if (!first) first = std::move(failure);
  }
  return first;
}

void SimDevice::synchronize() {
  count_sync(index());
  for (auto& queue : queues()) {
    if (queue->in_task())
      throw DeviceError("synchronize: work on " + spec() + " cannot wait for its own device", spec());
    queue->wait(queue->last());
  }
  surface(*this, take_failure());
}

}  // namespace crossdock::sim
