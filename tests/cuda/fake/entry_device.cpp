// Entry points for initialisation, devices and contexts.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "entry.h"
#include "faults.h"
#include "grid.h"
#include "settings.h"

namespace fake::abi {
namespace {

struct Named {
  int result;
  const char *name, *text;
};

constexpr Named kResults[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {kEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {kPeerAccessUnsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX was compiled with an unsupported toolchain"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW"},
    {kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {kPeerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {kPeerAccessNotEnabled, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {kHostMemoryAlreadyRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "memory is already registered"},
    {kHostMemoryNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "memory is not registered"},
    {kIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {kNotPermitted, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {kUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const Named* look_up(CUresult result) {
  const auto* found =
      std::find_if(std::begin(kResults), std::end(kResults), [&](auto& one) { return one.result == result; });
  return found == std::end(kResults) ? nullptr : found;
}

Device* device_at(CUdevice index) {
  return index >= 0 && index < static_cast<int>(devices().size()) ? devices()[index] : nullptr;
}

struct Attribute {
  int number, value;
};

// By the numbers of CUdevice_attribute: an H200's, but for what settings say.
constexpr Attribute kAttributes[] = {
    {1, 1024},         // threads of a block
    {2, 1024},         // block x
    {3, 1024},         // block y
    {4, 64},           // block z
    {5, 2147483647},   // grid x
    {6, 65535},        // grid y
    {7, 65535},        // grid z
    {8, 48 << 10},     // shared memory of a block
    {9, 64 << 10},     // constant memory
    {10, 32},          // lanes of a warp
    {11, 2147483647},  // pitch
    {12, 65536},       // registers of a block
    {13, 1980000},     // clock, kHz
    {14, 512},         // alignment of textures
    {15, 1},           // copies overlap kernels
    {17, 0},           // watchdog
    {18, 0},           // integrated
    {19, 1},           // maps host memory
    {20, 0},           // compute mode
    {31, 1},           // concurrent kernels
    {32, 1},           // ECC
    {34, 0},           // PCI device
    {35, 0},           // TCC
    {36, 3201000},     // memory clock, kHz
    {37, 6144},        // bus width, bits
    {38, 60 << 20},    // L2
    {39, 2048},        // threads of a multiprocessor
    {40, 3},           // copy engines
    {41, 1},           // unified addresses
    {50, 0},           // PCI domain
    {78, 1},           // priorities
    {79, 1},           // L1 for globals
    {80, 1},           // L1 for locals
    {81, 228 << 10},   // shared memory of a multiprocessor
    {82, 65536},       // registers of a multiprocessor
    {83, 0},           // managed memory, which the fake has not
    {84, 0},           // a board of several
    {86, 0},           // atomics on the host's memory
    {88, 0},           // pageable memory seen by kernels
    {89, 0},           // managed memory used at once
    {90, 1},           // preemption
    {91, 1},           // registered memory under the host's address
    {95, 0},           // cooperative launches
    {97, static_cast<int>(kSharedMax)},
    {99, 1},      // registers host memory
    {100, 0},     // through the host's page tables
    {101, 0},     // managed memory from the host
    {106, 32},    // blocks of a multiprocessor
    {111, 1024},  // shared memory that the system keeps of a block's
    {115, 1},     // stream-ordered allocation
};

// -1: the fake has no answer.
int attribute_of(const Device& device, int number) {
  if (number == 16) return settings().multiprocessors;
  if (number == 75) return settings().major;
  if (number == 76) return settings().minor;
  if (number == 33) return device.index + 1;  // PCI bus
  if (number == 85) return device.index;      // board
  for (const Attribute& one : kAttributes)
    if (one.number == number) return one.value;
  return -1;
}

}  // namespace

CUresult enter(const char* name, Needs needs) {
  if (forked()) return kNotInitialized;
  if (const int fault = ordered_fault(name)) return fault;
  if (in_host_function()) return kNotPermitted;
  if (needs == Needs::nothing) return kSuccess;
  if (!initialised()) return kNotInitialized;
  if (needs == Needs::init) return kSuccess;
  Device* device = current();
  if (!device) return kInvalidContext;
  if (!device->retained) return kContextIsDestroyed;
  return device->spoiled.load();
}

CUresult cuInit(unsigned flags) {
  ENTER(cuInit, nothing);
  return flags ? kInvalidValue : initialise();
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = settings().driver_version;
  return kSuccess;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  const Named* found = look_up(error);
  if (name) *name = found ? found->name : nullptr;
  return found && name ? kSuccess : kInvalidValue;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const Named* found = look_up(error);
  if (text) *text = found ? found->text : nullptr;
  return found && text ? kSuccess : kInvalidValue;
}

// As cuda.h's macros do: the newest version of a function under its bare name.
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t, int* status) {
  if (!symbol || !function || version < 2000) return kInvalidValue;
  static void* const self = [] {
    Dl_info here;
    dladdr(reinterpret_cast<void*>(&cuInit), &here);
    return dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  const bool old = version < 12080 && !std::strcmp(symbol, "cuEventElapsedTime");
  *function = old || std::strncmp(symbol, "cu", 2) ? nullptr : dlsym(self, (std::string(symbol) + "_v2").c_str());
  if (!*function && !std::strncmp(symbol, "cu", 2)) *function = dlsym(self, symbol);
  if (status) *status = *function ? 0 : 1;
  return *function ? kSuccess : kNotFound;
}

// Tables of functions that are not documented, NVRTC's cache among them. NVRTC takes it for granted that it can ask.
CUresult cuGetExportTable(const void** table, const Uuid*) {
  if (table) *table = nullptr;
  return kNotFound;
}

CUresult cuDeviceGetCount(int* count) {
  ENTER(cuDeviceGetCount, init);
  if (!count) return kInvalidValue;
  *count = static_cast<int>(devices().size());
  return kSuccess;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER(cuDeviceGet, init);
  if (!device) return kInvalidValue;
  if (!device_at(ordinal)) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  ENTER(cuDeviceGetName, init);
  if (!name || size <= 0) return kInvalidValue;
  if (!device_at(device)) return kInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU %d", device);
  return kSuccess;
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  ENTER(cuDeviceGetAttribute, init);
  Device* found = device_at(device);
  if (!value) return kInvalidValue;
  if (!found) return kInvalidDevice;
  const int answer = attribute_of(*found, attribute);
  if (answer < 0) return kInvalidValue;
  *value = answer;
  return kSuccess;
}

CUresult cuDeviceTotalMem_v2(std::size_t* nbytes, CUdevice device) {
  ENTER(cuDeviceTotalMem_v2, init);
  Device* found = device_at(device);
  if (!nbytes) return kInvalidValue;
  if (!found) return kInvalidDevice;
  *nbytes = static_cast<std::size_t>(found->memory.size());
  return kSuccess;
}

CUresult cuDeviceGetUuid_v2(Uuid* uuid, CUdevice device) {
  ENTER(cuDeviceGetUuid_v2, init);
  if (!uuid) return kInvalidValue;
  if (!device_at(device)) return kInvalidDevice;
  std::memset(uuid, 0x5A, sizeof *uuid);
  uuid->bytes[15] = static_cast<char>(device);
  return kSuccess;
}

CUresult cuDeviceGetPCIBusId(char* name, int size, CUdevice device) {
  ENTER(cuDeviceGetPCIBusId, init);
  if (!name || size < 13) return kInvalidValue;
  if (!device_at(device)) return kInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(size), "0000:%02x:00.0", device + 1);
  return kSuccess;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  ENTER(cuDeviceCanAccessPeer, init);
  if (!can) return kInvalidValue;
  if (!device_at(device) || !device_at(peer)) return kInvalidDevice;
  *can = device != peer && settings().peer;
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain, init);
  Device* found = device_at(device);
  if (!context) return kInvalidValue;
  if (!found) return kInvalidDevice;
  if (const int spoiled = found->spoiled) return spoiled;
  ++found->retained;
  *context = context_of(*found);
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER(cuDevicePrimaryCtxRelease_v2, init);
  Device* found = device_at(device);
  if (!found) return kInvalidDevice;
  if (!found->retained) return kInvalidContext;
  if (--found->retained == 0) found->tear_down();
  return kSuccess;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  ENTER(cuDevicePrimaryCtxGetState, init);
  Device* found = device_at(device);
  if (!flags || !active) return kInvalidValue;
  if (!found) return kInvalidDevice;
  *flags = 0;
  *active = found->retained > 0;
  return kSuccess;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  ENTER(cuCtxGetCurrent, init);
  if (!context) return kInvalidValue;
  Device* device = current();
  *context = device ? context_of(*device) : nullptr;
  return kSuccess;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  ENTER(cuCtxSetCurrent, init);
  Device* device = device_of(context);
  auto& stack = context_stack();
  if (context && (!device || !device->retained)) return kInvalidContext;
  if (!stack.empty()) stack.pop_back();
  if (device) stack.push_back(device);
  return kSuccess;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER(cuCtxPushCurrent_v2, init);
  Device* device = device_of(context);
  if (!device || !device->retained) return kInvalidContext;
  context_stack().push_back(device);
  return kSuccess;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  ENTER(cuCtxPopCurrent_v2, init);
  auto& stack = context_stack();
  if (stack.empty()) return kInvalidContext;
  if (context) *context = context_of(*stack.back());
  stack.pop_back();
  return kSuccess;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  ENTER(cuCtxGetDevice, init);
  if (!current()) return kInvalidContext;
  if (!device) return kInvalidValue;
  *device = current()->index;
  return kSuccess;
}

CUresult cuCtxSynchronize() {
  ENTER(cuCtxSynchronize, context);
  count("syncs");
  Device* device = current();
  device->drain();
  return device->spoiled.load();
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  ENTER(cuCtxEnablePeerAccess, context);
  Device* other = device_of(peer);
  if (flags) return kInvalidValue;
  return other && other->retained ? current()->enable_peer(*other) : kInvalidContext;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  ENTER(cuCtxDisablePeerAccess, context);
  Device* other = device_of(peer);
  return other ? current()->disable_peer(*other) : kInvalidContext;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  ENTER(cuCtxGetStreamPriorityRange, context);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return kSuccess;
}

}  // namespace fake::abi
