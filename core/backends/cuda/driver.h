// Driver: the entry points of libcuda.so.1 that are used here, opened at run time; own declarations of its ABI (CUDA
// Driver API, versions 12 and 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace crossdock::cuda {

using Result = int;  // CUresult
using DeviceNumber = int;
using DevicePointer = std::uint64_t;
using ContextHandle = struct ContextObject*;
using StreamHandle = struct StreamObject*;
using EventHandle = struct EventObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotInitialized = 3, kNotReady = 600;

enum class DeviceAttribute : int {
  multiprocessor_count = 16,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostAllocPortable = 1, kHostAllocDeviceMap = 2;
inline constexpr int kPointerMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
// The stream handles that stand for the two default streams.
inline const StreamHandle kLegacyStream = nullptr;

// Name here, symbol in the library, parameters.
#define CROSSDOCK_CUDA_DRIVER(X)                                                                                     \
  X(init, cuInit, (unsigned flags))                                                                                  \
  X(driver_version, cuDriverGetVersion, (int* version))                                                              \
  X(error_name, cuGetErrorName, (Result, const char** text))                                                         \
  X(error_string, cuGetErrorString, (Result, const char** text))                                                     \
  X(device_count, cuDeviceGetCount, (int* count))                                                                    \
  X(device_get, cuDeviceGet, (DeviceNumber*, int ordinal))                                                           \
  X(device_name, cuDeviceGetName, (char* name, int size, DeviceNumber))                                              \
  X(device_attribute, cuDeviceGetAttribute, (int* value, DeviceAttribute, DeviceNumber))                             \
  X(device_total_memory, cuDeviceTotalMem_v2, (std::size_t* nbytes, DeviceNumber))                                   \
  X(can_access_peer, cuDeviceCanAccessPeer, (int* can, DeviceNumber device, DeviceNumber peer))                      \
  X(primary_context_retain, cuDevicePrimaryCtxRetain, (ContextHandle*, DeviceNumber))                                \
  X(context_current, cuCtxGetCurrent, (ContextHandle*))                                                              \
  X(context_set, cuCtxSetCurrent, (ContextHandle))                                                                   \
  X(context_synchronize, cuCtxSynchronize, ())                                                                       \
  X(enable_peer_access, cuCtxEnablePeerAccess, (ContextHandle peer, unsigned flags))                                 \
  X(memory_info, cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                                           \
  X(memory_allocate, cuMemAlloc_v2, (DevicePointer*, std::size_t nbytes))                                            \
  X(memory_free, cuMemFree_v2, (DevicePointer))                                                                      \
  X(host_allocate, cuMemHostAlloc, (void** data, std::size_t nbytes, unsigned flags))                                \
  X(host_free, cuMemFreeHost, (void* data))                                                                          \
  X(pointer_attribute, cuPointerGetAttribute, (void* value, int attribute, DevicePointer))                           \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void* from, std::size_t nbytes, StreamHandle))    \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, DevicePointer from, std::size_t nbytes, StreamHandle))            \
  X(copy_on_device, cuMemcpyDtoDAsync_v2, (DevicePointer to, DevicePointer from, std::size_t nbytes, StreamHandle))  \
  X(copy_peer, cuMemcpyPeerAsync,                                                                                    \
    (DevicePointer to, ContextHandle to_context, DevicePointer from, ContextHandle from_context, std::size_t nbytes, \
     StreamHandle))                                                                                                  \
  X(fill_bytes, cuMemsetD8Async, (DevicePointer to, unsigned char value, std::size_t nbytes, StreamHandle))          \
  X(stream_create, cuStreamCreate, (StreamHandle*, unsigned flags))                                                  \
  X(stream_destroy, cuStreamDestroy_v2, (StreamHandle))                                                              \
  X(stream_query, cuStreamQuery, (StreamHandle))                                                                     \
  X(stream_synchronize, cuStreamSynchronize, (StreamHandle))                                                         \
  X(stream_wait_event, cuStreamWaitEvent, (StreamHandle, EventHandle, unsigned flags))                               \
  X(launch_host_function, cuLaunchHostFunc, (StreamHandle, void (*function)(void*), void* data))                     \
  X(event_create, cuEventCreate, (EventHandle*, unsigned flags))                                                     \
  X(event_destroy, cuEventDestroy_v2, (EventHandle))                                                                 \
  X(event_record, cuEventRecord, (EventHandle, StreamHandle))                                                        \
  X(event_query, cuEventQuery, (EventHandle))                                                                        \
  X(event_synchronize, cuEventSynchronize, (EventHandle))                                                            \
  X(module_load, cuModuleLoadData, (ModuleHandle*, const void* image))                                               \
  X(module_function, cuModuleGetFunction, (FunctionHandle*, ModuleHandle, const char* name))                         \
  X(function_set_attribute, cuFuncSetAttribute, (FunctionHandle, int attribute, int value))                          \
  X(launch_kernel, cuLaunchKernel,                                                                                   \
    (FunctionHandle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
     unsigned block_z, unsigned shared_nbytes, StreamHandle, void** arguments, void** extra))

struct Driver {
#define CROSSDOCK_ENTRY(name, symbol, parameters) Result(*name) parameters = nullptr;
  CROSSDOCK_CUDA_DRIVER(CROSSDOCK_ENTRY)
#undef CROSSDOCK_ENTRY
};

inline constexpr int kOldestDriver = 12000;  // CUDA 12.0, as cuDriverGetVersion counts

// Opens the library; starts nothing. Null when there is none, or one that lacks an entry point: see driver_problem().
const Driver* find_driver();
const std::string& driver_problem();  // why there is none; empty when there is one
// The library, started (cuInit) once; DeviceError when it cannot be, or when it was started before this process was
// forked.
const Driver& driver();
bool driver_is_started() noexcept;
// True in a child of a process that had started it: nothing of CUDA works there, and nothing needs to be given back.
bool is_forked() noexcept;

// Throws DeviceError with the call, the device and CUDA's words; OutOfMemoryError is the allocator's.
[[noreturn]] void fail(Result result, const char* call, const std::string& device);
inline void check(Result result, const char* call, const std::string& device) {
  if (result != kSuccess) [[unlikely]]
    fail(result, call, device);
}
// Whether it may be that of work queued earlier, and will be that of every later call.
bool is_lasting(Result result) noexcept;
std::string text_of(Result result);  // 'CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure'

inline DevicePointer device_pointer(const void* data) noexcept { return reinterpret_cast<DevicePointer>(data); }

}  // namespace crossdock::cuda
