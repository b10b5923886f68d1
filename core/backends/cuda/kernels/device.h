// What every kernel header includes: the words of device code, by NVRTC, or by an emulation where the tests run
// kernels on the host.
//
// What NVRTC is not given, kernels do not use: no standard headers; includes name the file from core/backends/cuda or
// core/include ("kernels/device.h", "crossdock/functors/cast.h"). Products are rounded before they are added, as on the
// host; a header whose kernels are better with fused ones says `#define CROSSDOCK_FUSED_PRODUCTS` in a line of its own.
// Unmarked functions and constants are the device's. Fixed shared memory is `__shared__ T name[count]` with a trivial
// T; what the launch sizes is dynamic_shared<T>(), never `extern __shared__`.
#pragma once

#if defined(__CUDACC_RTC__)

#include "crossdock/functors/host_device.h"

namespace crossdock::cuda {

// The launch's dynamic shared memory, aligned to 16 bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char crossdock_dynamic_shared[];
  return reinterpret_cast<T*>(crossdock_dynamic_shared);
}

}  // namespace crossdock::cuda

#elif defined(CROSSDOCK_CUDA_ON_HOST)

#include "crossdock/functors/host_device.h"
#include "emulation.h"

namespace crossdock::cuda {

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(crossdock_on_host::dynamic_shared());
}

}  // namespace crossdock::cuda

#else
#error "device code: for NVRTC, or for the tests' emulation"
#endif

namespace crossdock::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffu;

// This thread's number in a one-dimensional launch, and how many threads it has.
__device__ __forceinline__ std::int64_t grid_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::int64_t grid_threads() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

}  // namespace crossdock::cuda
