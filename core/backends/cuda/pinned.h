// Page-locked host memory, which every CUDA device reads and writes by itself.
#pragma once

#include <memory>

#include "crossdock/runtime/pinned_pool.h"

namespace crossdock::cuda {

// `any_device` gives a device whose driver is started, or null: then there is no memory.
std::unique_ptr<PinnedMemory> page_locked_memory(class CudaDevice* (*any_device)());

// Whether the driver knows the host address, as it does what is page-locked, by whoever, or managed: then it does not
// stage what it copies.
bool is_known_to_driver(const class CudaDevice& device, const void* data) noexcept;

}  // namespace crossdock::cuda
