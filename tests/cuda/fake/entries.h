// Every entry point of the fake libcuda.so.1, once: name and parameters; all return CUresult.
#pragma once

#include "abi.h"

// clang-format off
#define FAKE_CUDA_ENTRIES(X) \
  X(cuInit, (unsigned flags)) \
  X(cuDriverGetVersion, (int* version)) \
  X(cuGetErrorName, (CUresult error, const char** name)) \
  X(cuGetErrorString, (CUresult error, const char** text)) \
  X(cuGetProcAddress_v2, (const char* symbol, void** function, int version, std::uint64_t flags, int* status)) \
  X(cuGetExportTable, (const void** table, const Uuid* id)) \
  X(cuDeviceGetCount, (int* count)) \
  X(cuDeviceGet, (CUdevice* device, int ordinal)) \
  X(cuDeviceGetName, (char* name, int size, CUdevice device)) \
  X(cuDeviceGetAttribute, (int* value, int attribute, CUdevice device)) \
  X(cuDeviceTotalMem_v2, (std::size_t* nbytes, CUdevice device)) \
  X(cuDeviceGetUuid_v2, (Uuid* uuid, CUdevice device)) \
  X(cuDeviceGetPCIBusId, (char* name, int size, CUdevice device)) \
  X(cuDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice peer)) \
  X(cuDevicePrimaryCtxRetain, (CUcontext* context, CUdevice device)) \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device)) \
  X(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned* flags, int* active)) \
  X(cuCtxGetCurrent, (CUcontext* context)) \
  X(cuCtxSetCurrent, (CUcontext context)) \
  X(cuCtxPushCurrent_v2, (CUcontext context)) \
  X(cuCtxPopCurrent_v2, (CUcontext* context)) \
  X(cuCtxGetDevice, (CUdevice* device)) \
  X(cuCtxSynchronize, ()) \
  X(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags)) \
  X(cuCtxDisablePeerAccess, (CUcontext peer)) \
  X(cuCtxGetStreamPriorityRange, (int* least, int* greatest)) \
  X(cuMemAlloc_v2, (CUdeviceptr* pointer, std::size_t nbytes)) \
  X(cuMemFree_v2, (CUdeviceptr pointer)) \
  X(cuMemAllocAsync, (CUdeviceptr* pointer, std::size_t nbytes, CUstream stream)) \
  X(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream)) \
  X(cuMemGetInfo_v2, (std::size_t* free, std::size_t* total)) \
  X(cuMemGetAddressRange_v2, (CUdeviceptr* base, std::size_t* nbytes, CUdeviceptr pointer)) \
  X(cuMemHostAlloc, (void** pointer, std::size_t nbytes, unsigned flags)) \
  X(cuMemFreeHost, (void* pointer)) \
  X(cuMemHostRegister_v2, (void* pointer, std::size_t nbytes, unsigned flags)) \
  X(cuMemHostUnregister, (void* pointer)) \
  X(cuMemHostGetDevicePointer_v2, (CUdeviceptr* device, void* host, unsigned flags)) \
  X(cuPointerGetAttribute, (void* data, int attribute, CUdeviceptr pointer)) \
  X(cuPointerGetAttributes, (unsigned count, int* attributes, void** data, CUdeviceptr pointer)) \
  X(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, std::size_t nbytes)) \
  X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void* from, std::size_t nbytes)) \
  X(cuMemcpyDtoH_v2, (void* to, CUdeviceptr from, std::size_t nbytes)) \
  X(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t nbytes)) \
  X(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, std::size_t nbytes, CUstream stream)) \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t nbytes, CUstream stream)) \
  X(cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t nbytes, CUstream stream)) \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t nbytes, CUstream stream)) \
  X(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
                        std::size_t nbytes, CUstream stream)) \
  X(cuMemcpy2DAsync_v2, (const Memcpy2D* copy, CUstream stream)) \
  X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream)) \
  X(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream)) \
  X(cuMemsetD32Async, (CUdeviceptr to, unsigned value, std::size_t count, CUstream stream)) \
  X(cuStreamCreate, (CUstream* stream, unsigned flags)) \
  X(cuStreamCreateWithPriority, (CUstream* stream, unsigned flags, int priority)) \
  X(cuStreamDestroy_v2, (CUstream stream)) \
  X(cuStreamSynchronize, (CUstream stream)) \
  X(cuStreamQuery, (CUstream stream)) \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags)) \
  X(cuStreamGetCtx, (CUstream stream, CUcontext* context)) \
  X(cuStreamGetFlags, (CUstream stream, unsigned* flags)) \
  X(cuStreamGetPriority, (CUstream stream, int* priority)) \
  X(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* data)) \
  X(cuEventCreate, (CUevent* event, unsigned flags)) \
  X(cuEventDestroy_v2, (CUevent event)) \
  X(cuEventRecord, (CUevent event, CUstream stream)) \
  X(cuEventQuery, (CUevent event)) \
  X(cuEventSynchronize, (CUevent event)) \
  X(cuEventElapsedTime, (float* ms, CUevent begin, CUevent end)) \
  X(cuEventElapsedTime_v2, (float* ms, CUevent begin, CUevent end)) \
  X(cuModuleLoadData, (CUmodule* module, const void* image)) \
  X(cuModuleUnload, (CUmodule module)) \
  X(cuModuleGetFunction, (CUfunction* function, CUmodule module, const char* name)) \
  X(cuFuncGetAttribute, (int* value, int attribute, CUfunction function)) \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, CUfunction function, int threads, std::size_t shared)) \
  X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
                     unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters, \
                     void** extra))
// clang-format on
