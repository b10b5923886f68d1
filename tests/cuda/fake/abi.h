// The driver's ABI, as far as the fake has it: types and numbers in our own words, held to cuda.h's by check_abi.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake::abi {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct Context*;
using CUstream = struct StreamHandle*;
using CUevent = struct EventHandle*;
using CUmodule = struct ModuleHandle*;
using CUfunction = struct FunctionHandle*;
using CUhostFn = void (*)(void*);

enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kPeerAccessUnsupported = 217,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kContextIsDestroyed = 709,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
  kNotPermitted = 800,
  kNotSupported = 801,
  kUnknown = 999,
};

inline constexpr int kMemoryHost = 1, kMemoryDevice = 2, kMemoryUnified = 4;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kEventInterprocess = 4;
inline constexpr std::uintptr_t kLegacyStream = 1, kPerThreadStream = 2;

struct Uuid {
  char bytes[16];
};

struct Memcpy2D {
  std::size_t src_x, src_y;
  int src_type;
  const void* src_host;
  CUdeviceptr src_device;
  void* src_array;
  std::size_t src_pitch;
  std::size_t dst_x, dst_y;
  int dst_type;
  void* dst_host;
  CUdeviceptr dst_device;
  void* dst_array;
  std::size_t dst_pitch;
  std::size_t width, height;
};

}  // namespace fake::abi
