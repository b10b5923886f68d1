// What every entry point begins with.
#pragma once

#include "device.h"
#include "entries.h"

namespace fake::abi {

extern "C" {
#define FAKE_CUDA_DECLARE(name, parameters) __attribute__((visibility("default"))) CUresult name parameters;
FAKE_CUDA_ENTRIES(FAKE_CUDA_DECLARE)
#undef FAKE_CUDA_DECLARE
}

enum class Needs { nothing, init, context };

// Counts the call; an error when a test has ordered one, when CUDA is not initialised, no context is current, or the
// current one is spoiled.
CUresult enter(const char* name, Needs needs);

#define ENTER(name, needs) \
  if (const CUresult refused = enter(#name, Needs::needs)) return refused

// The stream of a handle, in the current context or any; null when there is none.
std::shared_ptr<Stream> stream_of(CUstream handle);

// The first `count` of what begins at `address`, in memory of one device. Null: it is not all in one allocation.
Device* device_with(CUdeviceptr address, std::size_t nbytes);

}  // namespace fake::abi

namespace fake {

// Page-locked host memory.
bool is_pinned(const void* address, std::size_t nbytes);

}  // namespace fake
