// compile: one kernel's code for one architecture, from the disk or by NVRTC.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "architecture.h"
#include "kernel_family.h"

namespace crossdock::cuda {

class DiskCache;

// What cuModuleLoadData takes.
struct Image {
  std::string entry;  // the kernel's (mangled) name in it
  // A CUBIN; where NVRTC does not know the architecture yet, PTX of the newest before it, ended by a zero byte, which
  // the driver translates.
  std::vector<std::byte> cubin;
  bool from_disk = false;
};

// Thread-safe, and concurrent: nothing is locked while NVRTC works. Throws DeviceError with the kernel, the
// architecture and what NVRTC says; the one without NVRTC begins 'NVRTC not found'.
Image compile(const KernelName& kernel, Architecture architecture);
Image compile(const KernelName& kernel, Architecture architecture, const DiskCache& cache);

}  // namespace crossdock::cuda
