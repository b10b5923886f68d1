// Compiled, never linked: each entry point of the fake has the parameters that cuda.h gives it.
#include <cuda.h>

#include <type_traits>

#include "entries.h"

namespace {

// What the calling convention sees: an integer or enumeration of a size, or an address.
template <class A, class B>
constexpr bool same =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_class_v<A> == std::is_class_v<B> && std::is_floating_point_v<A> == std::is_floating_point_v<B>;
template <class A, class B>
constexpr bool compatible = false;
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
constexpr bool compatible<R (*)(A...), S (*)(B...)> = same<R, S> && (same<A, B> && ...);

}  // namespace

namespace fake::abi {

#define CHECK(name, parameters)                \
  using check_##name = CUresult(*) parameters; \
  static_assert(compatible<check_##name, decltype(&::name)>, #name);
FAKE_CUDA_ENTRIES(CHECK)

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #theirs)
SAME(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
SAME(kNoDevice, CUDA_ERROR_NO_DEVICE);
SAME(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
SAME(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
SAME(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(kPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
SAME(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
SAME(kNotFound, CUDA_ERROR_NOT_FOUND);
SAME(kNotReady, CUDA_ERROR_NOT_READY);
SAME(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(kPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME(kPeerAccessNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
SAME(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(kHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
SAME(kHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
SAME(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
SAME(kNotPermitted, CUDA_ERROR_NOT_PERMITTED);
SAME(kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME(kUnknown, CUDA_ERROR_UNKNOWN);
SAME(kMemoryHost, CU_MEMORYTYPE_HOST);
SAME(kMemoryDevice, CU_MEMORYTYPE_DEVICE);
SAME(kMemoryUnified, CU_MEMORYTYPE_UNIFIED);
SAME(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
SAME(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME(kEventInterprocess, CU_EVENT_INTERPROCESS);

#define FIELD(ours, theirs) static_assert(offsetof(Memcpy2D, ours) == offsetof(CUDA_MEMCPY2D, theirs), #theirs)
static_assert(sizeof(Memcpy2D) == sizeof(CUDA_MEMCPY2D) && sizeof(Uuid) == sizeof(CUuuid));
FIELD(src_x, srcXInBytes);
FIELD(src_y, srcY);
FIELD(src_type, srcMemoryType);
FIELD(src_host, srcHost);
FIELD(src_device, srcDevice);
FIELD(src_array, srcArray);
FIELD(src_pitch, srcPitch);
FIELD(dst_x, dstXInBytes);
FIELD(dst_y, dstY);
FIELD(dst_type, dstMemoryType);
FIELD(dst_host, dstHost);
FIELD(dst_device, dstDevice);
FIELD(dst_array, dstArray);
FIELD(dst_pitch, dstPitch);
FIELD(width, WidthInBytes);
FIELD(height, Height);

}  // namespace fake::abi
