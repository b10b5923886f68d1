// Entry points that copy and fill.
#include <algorithm>
#include <cstring>
#include <vector>

#include "copies.h"
#include "entry.h"
#include "faults.h"

namespace fake::abi {
namespace {

// One side of a copy: rows of bytes in host or device memory.
struct Side {
  char* data;
  std::size_t pitch;
  Device* device = nullptr;
  bool pageable = false;
};

struct Shape {
  std::size_t width, height;
};

char* address_of(CUdeviceptr pointer) { return reinterpret_cast<char*>(pointer); }

std::size_t extent(const Side& side, Shape shape) { return side.pitch * (shape.height - 1) + shape.width; }

void move_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch, Shape shape) {
  if (to_pitch == shape.width && from_pitch == shape.width) {
    std::memmove(to, from, shape.width * shape.height);
    return;
  }
  for (std::size_t row = 0; row < shape.height; ++row)
    std::memmove(to + row * to_pitch, from + row * from_pitch, shape.width);
}

// Finds out what memory a side is; false when it is not what its type says.
bool settle(Side& side, int type, Shape shape) {
  const bool owned = device_owning(side.data);
  if (owned || type == kMemoryDevice) {
    if (type == kMemoryHost) return false;
    side.device = device_with(reinterpret_cast<CUdeviceptr>(side.data), extent(side, shape));
    // Page-locked memory is the device's as well, under the same address.
    return side.device || (!owned && is_pinned(side.data, extent(side, shape)));
  }
  side.pageable = !is_pinned(side.data, extent(side, shape));
  return side.data;
}

void count_copy(const Side& to, const Side& from, Shape shape) {
  const auto nbytes = static_cast<std::int64_t>(shape.width * shape.height);
  if (to.device && from.device) {
    const bool peer = to.device != from.device;
    count(peer ? "p2p_copies" : "d2d_copies"), count(peer ? "p2p_bytes" : "d2d_bytes", nbytes);
  } else if (to.device) {
    count("h2d_copies"), count("h2d_bytes", nbytes);
  } else if (from.device) {
    count("d2h_copies"), count("d2h_bytes", nbytes);
  } else {
    count("h2h_copies"), count("h2h_bytes", nbytes);
  }
  if (to.pageable || from.pageable) count("pageable_copies"), count("pageable_bytes", nbytes);
}

enum class Returns { when_queued, when_done };

// What a profiling library hears of it.
CopyNote noted(const Side& to, const Side& from, Shape shape, const Stream& stream, bool waits) {
  auto kind = [](const Side& side) {
    return int(side.device ? MemoryKind::device : side.pageable ? MemoryKind::pageable : MemoryKind::pinned);
  };
  Copy facts{};
  facts.nbytes = static_cast<std::int64_t>(shape.width * shape.height);
  facts.device = stream.device.index;
  facts.source_device = from.device ? from.device->index : -1;
  facts.target_device = to.device ? to.device->index : -1;
  facts.source_kind = kind(from), facts.target_kind = kind(to);
  facts.stream = reinterpret_cast<std::uintptr_t>(&stream);
  facts.is_async = !waits;
  return CopyNote(facts);
}

// Pageable sources are staged before the call returns; for a pageable target it waits.
CUresult copy(Side to, int to_type, Side from, int from_type, Shape shape, CUstream handle, Returns returns) {
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!shape.width || !shape.height) return kSuccess;
  if (to.pitch < shape.width || from.pitch < shape.width) return kInvalidValue;
  if (!settle(to, to_type, shape) || !settle(from, from_type, shape)) return kInvalidValue;
  count_copy(to, from, shape);
  const CopyNote note = noted(to, from, shape, *stream, returns == Returns::when_done);

  std::shared_ptr<std::vector<char>> staged;
  if (from.pageable && to.device && returns == Returns::when_queued) {
    staged = std::make_shared<std::vector<char>>(shape.width * shape.height);
    move_rows(staged->data(), shape.width, from.data, from.pitch, shape);
    from.data = staged->data();
    from.pitch = shape.width;
  }
  std::vector<Device*> devices = {&stream->device};
  for (Device* one : {to.device, from.device})
    if (one && std::find(devices.begin(), devices.end(), one) == devices.end()) devices.push_back(one);
  auto work = [to, from, shape, staged, note] {
    note.starts();
    move_rows(to.data, to.pitch, from.data, from.pitch, shape);
    note.ends();
    return int{kSuccess};
  };
  const Point done = stream->device.submit(stream, {.kind = "run:copy", .work = work, .devices = devices});
  const bool waits = returns == Returns::when_done || to.pageable || (from.pageable && !staged);
  if (!waits) return note.returns(), kSuccess;
  count("waiting_copies");
  done.wait();
  note.returns();
  return stream->device.spoiled.load();
}

CUresult flat(void* to, int to_type, const void* from, int from_type, std::size_t nbytes, CUstream stream,
              Returns returns) {
  return copy({static_cast<char*>(to), nbytes}, to_type, {static_cast<char*>(const_cast<void*>(from)), nbytes},
              from_type, {nbytes, 1}, stream, returns);
}

template <class T>
CUresult fill(CUdeviceptr to, T value, std::size_t n, CUstream handle) {
  auto stream = stream_of(handle);
  if (!stream) return kInvalidHandle;
  if (!n) return kSuccess;
  Device* device = device_with(to, n * sizeof(T));
  const bool pinned = !device && is_pinned(address_of(to), n * sizeof(T));
  if (to % sizeof(T) || (!device && !pinned)) return kInvalidValue;
  count("memsets"), count("memset_bytes", static_cast<std::int64_t>(n * sizeof(T)));
  auto work = [=] {
    std::fill_n(reinterpret_cast<T*>(address_of(to)), n, value);
    return int{kSuccess};
  };
  stream->device.submit(stream, {.kind = "run:memset", .work = work, .devices = {device ? device : &stream->device}});
  return kSuccess;
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t nbytes) {
  ENTER(cuMemcpy, context);
  return flat(address_of(to), kMemoryUnified, address_of(from), kMemoryUnified, nbytes, nullptr, Returns::when_done);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t nbytes) {
  ENTER(cuMemcpyHtoD_v2, context);
  return flat(address_of(to), kMemoryDevice, from, kMemoryHost, nbytes, nullptr, Returns::when_done);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t nbytes) {
  ENTER(cuMemcpyDtoH_v2, context);
  return flat(to, kMemoryHost, address_of(from), kMemoryDevice, nbytes, nullptr, Returns::when_done);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t nbytes) {
  ENTER(cuMemcpyDtoD_v2, context);  // between two places on devices, the host does not wait
  return flat(address_of(to), kMemoryDevice, address_of(from), kMemoryDevice, nbytes, nullptr, Returns::when_queued);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t nbytes, CUstream stream) {
  ENTER(cuMemcpyAsync, context);
  return flat(address_of(to), kMemoryUnified, address_of(from), kMemoryUnified, nbytes, stream, Returns::when_queued);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t nbytes, CUstream stream) {
  ENTER(cuMemcpyHtoDAsync_v2, context);
  return flat(address_of(to), kMemoryDevice, from, kMemoryHost, nbytes, stream, Returns::when_queued);
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t nbytes, CUstream stream) {
  ENTER(cuMemcpyDtoHAsync_v2, context);
  return flat(to, kMemoryHost, address_of(from), kMemoryDevice, nbytes, stream, Returns::when_queued);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t nbytes, CUstream stream) {
  ENTER(cuMemcpyDtoDAsync_v2, context);
  return flat(address_of(to), kMemoryDevice, address_of(from), kMemoryDevice, nbytes, stream, Returns::when_queued);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           std::size_t nbytes, CUstream stream) {
  ENTER(cuMemcpyPeerAsync, context);
  Device *target = device_of(to_context), *source = device_of(from_context);
  if (!target || !source) return kInvalidContext;
  if (nbytes && (device_with(to, nbytes) != target || device_with(from, nbytes) != source)) return kInvalidValue;
  return flat(address_of(to), kMemoryDevice, address_of(from), kMemoryDevice, nbytes, stream, Returns::when_queued);
}

CUresult cuMemcpy2DAsync_v2(const Memcpy2D* p, CUstream stream) {
  ENTER(cuMemcpy2DAsync_v2, context);
  if (!p) return kInvalidValue;
  auto side = [](int type, const void* host, CUdeviceptr device, std::size_t pitch, std::size_t x, std::size_t y) {
    char* base = type == kMemoryHost ? static_cast<char*>(const_cast<void*>(host)) : address_of(device);
    return Side{base + y * pitch + x, pitch};
  };
  for (int type : {p->src_type, p->dst_type})
    if (type != kMemoryHost && type != kMemoryDevice && type != kMemoryUnified) return kInvalidValue;
  const Shape shape{p->width, p->height};
  // A pitch of 0 is that of rows without gaps.
  const std::size_t from_pitch = p->src_pitch ? p->src_pitch : p->width + p->src_x;
  const std::size_t to_pitch = p->dst_pitch ? p->dst_pitch : p->width + p->dst_x;
  return copy(side(p->dst_type, p->dst_host, p->dst_device, to_pitch, p->dst_x, p->dst_y), p->dst_type,
              side(p->src_type, p->src_host, p->src_device, from_pitch, p->src_x, p->src_y), p->src_type, shape, stream,
              Returns::when_queued);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream stream) {
  ENTER(cuMemsetD8Async, context);
  return fill(to, value, n, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t n, CUstream stream) {
  ENTER(cuMemsetD16Async, context);
  return fill(to, value, n, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t n, CUstream stream) {
  ENTER(cuMemsetD32Async, context);
  return fill(to, value, n, stream);
}

}  // namespace fake::abi
