// compile: one kernel's code for one architecture, from the disk or by NVRTC.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_family.h"

namespace crossdock::cuda {

class DiskCache;

struct Architecture {
  int number = 0;         // 90: compute capability 9.0
  bool specific = false;  // sm_90a: code for this one alone, none later

  // "sm_90", "sm_90a"; ValueError for anything else.
  static Architecture parse(std::string_view text);
  std::string name() const;  // as parsed
};

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
