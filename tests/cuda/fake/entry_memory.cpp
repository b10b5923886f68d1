// Entry points for memory: of devices, page-locked, and what a pointer is.
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "entry.h"
#include "faults.h"

namespace fake {
namespace {

struct Pinned {
  std::size_t nbytes;
  bool registered;
  Device* device;
};

std::mutex pinned_lock;

std::map<const char*, Pinned>& pinned() {
  static auto* const made = new std::map<const char*, Pinned>;
  return *made;
}

// Under the lock.
std::map<const char*, Pinned>::iterator around(const void* address) {
  auto next = pinned().upper_bound(static_cast<const char*>(address));
  if (next == pinned().begin()) return pinned().end();
  --next;
  return static_cast<const char*>(address) < next->first + next->second.nbytes ? next : pinned().end();
}

std::size_t in_pages(std::size_t nbytes) { return (nbytes + 4095) / 4096 * 4096; }

}  // namespace

bool is_pinned(const void* address, std::size_t nbytes) {
  std::lock_guard lock(pinned_lock);
  auto found = around(address);
  return found != pinned().end() && static_cast<const char*>(address) + nbytes <= found->first + found->second.nbytes;
}

}  // namespace fake

namespace fake::abi {
namespace {

std::byte* address_of(CUdeviceptr pointer) { return reinterpret_cast<std::byte*>(pointer); }
CUdeviceptr pointer_to(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

// What is known about a pointer, for its attributes.
struct Facts {
  Device* device = nullptr;
  int type = 0;  // none: neither a device's nor page-locked
  const void* begin = nullptr;
  std::size_t nbytes = 0;
};

Facts facts_about(CUdeviceptr pointer) {
  const void* address = address_of(pointer);
  if (Device* device = device_owning(address)) {
    auto block = device->memory.find(address);
    if (block) return {device, kMemoryDevice, block->data, block->nbytes};
    return {};
  }
  std::lock_guard lock(pinned_lock);
  auto found = around(address);
  if (found == pinned().end()) return {};
  return {found->second.device, kMemoryHost, found->first, found->second.nbytes};
}

template <class T>
CUresult put(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return kSuccess;
}

// By the numbers of CUpointer_attribute. `lenient`: the answer for an unknown pointer is nothing instead of an error.
CUresult attribute_of(const Facts& facts, int attribute, void* to, CUdeviceptr pointer, bool lenient) {
  const bool known = facts.type;
  if (!known && !lenient) return kInvalidValue;
  switch (attribute) {
    case 1:
      return put(to, known ? context_of(*facts.device) : nullptr);
    case 2:
      return put(to, static_cast<unsigned>(facts.type));
    case 3:
      return put(to, known ? pointer : CUdeviceptr{0});
    case 4:
      if (facts.type == kMemoryDevice && !lenient) return kInvalidValue;
      return put(to, facts.type == kMemoryHost ? pointer : CUdeviceptr{0});
    case 7:
      return put(to, static_cast<unsigned long long>(pointer_to(facts.begin)));
    case 8:
      return put(to, false);
    case 9:
      return put(to, known ? facts.device->index : -2);
    case 11:
      return put(to, pointer_to(facts.begin));
    case 12:
      return put(to, facts.nbytes);
    case 13:
      return put(to, known);
    default:
      return kInvalidValue;
  }
}

CUresult take(Device& device, CUdeviceptr* pointer, std::size_t nbytes, bool stream_ordered) {
  if (!pointer || !nbytes) return kInvalidValue;
  std::byte* taken = device.memory.take(nbytes, stream_ordered);
  if (!taken) return kOutOfMemory;
  *pointer = pointer_to(taken);
  return kSuccess;
}

// The allocation that begins there, and its device.
std::pair<Device*, Block> allocation_at(CUdeviceptr pointer) {
  Device* device = device_owning(address_of(pointer));
  auto block = device ? device->memory.find(address_of(pointer)) : std::nullopt;
  if (!block || block->data != address_of(pointer)) return {};
  return {device, *block};
}

}  // namespace

Device* device_with(CUdeviceptr pointer, std::size_t nbytes) {
  Device* device = device_owning(address_of(pointer));
  if (!device) return nullptr;
  auto block = device->memory.find(address_of(pointer));
  const bool inside = block && nbytes <= block->nbytes - static_cast<std::size_t>(address_of(pointer) - block->data);
  return inside ? device : nullptr;
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t nbytes) {
  ENTER(cuMemAlloc_v2, context);
  return take(*current(), pointer, nbytes, false);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  ENTER(cuMemFree_v2, context);
  if (!pointer) return kSuccess;
  auto [device, block] = allocation_at(pointer);
  if (!device) return kInvalidValue;
  if (!block.stream_ordered) device->drain();  // what cuMemAlloc gave is freed when nothing uses it any more
  return device->memory.give_back(block.data) ? kSuccess : kInvalidValue;
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, std::size_t nbytes, CUstream handle) {
  ENTER(cuMemAllocAsync, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  return take(stream->device, pointer, nbytes, true);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  ENTER(cuMemFreeAsync, context);
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  auto [device, block] = allocation_at(pointer);
  if (!device) return kInvalidValue;
  auto work = [device = device, data = block.data] { return device->memory.give_back(data) ? 0 : int{kInvalidValue}; };
  stream->device.submit(stream, {.kind = "run:free", .work = work, .devices = {device}});
  return kSuccess;
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER(cuMemGetInfo_v2, context);
  if (free) *free = static_cast<std::size_t>(current()->memory.free_nbytes());
  if (total) *total = static_cast<std::size_t>(current()->memory.size());
  return kSuccess;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* nbytes, CUdeviceptr pointer) {
  ENTER(cuMemGetAddressRange_v2, context);
  const Facts facts = facts_about(pointer);
  if (facts.type != kMemoryDevice) return kNotFound;
  if (base) *base = pointer_to(facts.begin);
  if (nbytes) *nbytes = facts.nbytes;
  return kSuccess;
}

CUresult cuMemHostAlloc(void** pointer, std::size_t nbytes, unsigned flags) {
  ENTER(cuMemHostAlloc, context);
  if (!pointer || !nbytes || flags > 7) return kInvalidValue;
  void* got = mmap(nullptr, in_pages(nbytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return kOutOfMemory;
  std::memset(got, 0xFF, nbytes < (1 << 20) ? nbytes : (1 << 20));
  std::lock_guard lock(pinned_lock);
  pinned()[static_cast<char*>(got)] = {nbytes, false, current()};
  count("live_pinned"), count("live_pinned_bytes", static_cast<std::int64_t>(nbytes));
  *pointer = got;
  return kSuccess;
}

CUresult cuMemFreeHost(void* pointer) {
  ENTER(cuMemFreeHost, context);
  for (Device* device : devices()) device->drain();
  std::lock_guard lock(pinned_lock);
  auto found = pinned().find(static_cast<char*>(pointer));
  if (found == pinned().end() || found->second.registered) return kInvalidValue;
  count("live_pinned", -1), count("live_pinned_bytes", -static_cast<std::int64_t>(found->second.nbytes));
  munmap(pointer, in_pages(found->second.nbytes));
  pinned().erase(found);
  return kSuccess;
}

CUresult cuMemHostRegister_v2(void* pointer, std::size_t nbytes, unsigned flags) {
  ENTER(cuMemHostRegister_v2, context);
  if (!pointer || !nbytes || flags > 15 || device_owning(pointer)) return kInvalidValue;
  const char* begin = static_cast<char*>(pointer);
  std::lock_guard lock(pinned_lock);
  auto next = pinned().lower_bound(begin);
  if (around(begin) != pinned().end() || (next != pinned().end() && next->first < begin + nbytes))
    return kHostMemoryAlreadyRegistered;
  pinned()[begin] = {nbytes, true, current()};
  count("live_registered");
  return kSuccess;
}

CUresult cuMemHostUnregister(void* pointer) {
  ENTER(cuMemHostUnregister, context);
  for (Device* device : devices()) device->drain();
  std::lock_guard lock(pinned_lock);
  auto found = pinned().find(static_cast<char*>(pointer));
  if (found == pinned().end() || !found->second.registered) return kHostMemoryNotRegistered;
  pinned().erase(found);
  count("live_registered", -1);
  return kSuccess;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned flags) {
  ENTER(cuMemHostGetDevicePointer_v2, context);
  if (!device || flags || !is_pinned(host, 1)) return kInvalidValue;
  *device = pointer_to(host);
  return kSuccess;
}

CUresult cuPointerGetAttribute(void* data, int attribute, CUdeviceptr pointer) {
  ENTER(cuPointerGetAttribute, init);
  if (!data) return kInvalidValue;
  return attribute_of(facts_about(pointer), attribute, data, pointer, false);
}

CUresult cuPointerGetAttributes(unsigned number, int* attributes, void** data, CUdeviceptr pointer) {
  ENTER(cuPointerGetAttributes, init);
  if (!attributes || !data || !number) return kInvalidValue;
  const Facts facts = facts_about(pointer);
  for (unsigned i = 0; i < number; ++i)
    if (const CUresult result = attribute_of(facts, attributes[i], data[i], pointer, true)) return result;
  return kSuccess;
}

}  // namespace fake::abi
