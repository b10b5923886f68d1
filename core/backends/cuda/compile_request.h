// CompileRequest: all that NVRTC is given for one kernel, decided before anything is compiled.
#pragma once

#include <string>
#include <vector>

#include "architecture.h"
#include "kernel_family.h"
#include "nvrtc.h"
#include "sources.h"

namespace crossdock::cuda {

struct CompileRequest {
  std::string text, expression;
  std::vector<const Source*> headers;
  std::vector<std::string> options;
  bool ptx = false;  // asked for instead of a CUBIN
};

// DeviceError when there is no such header, or when that compiler makes nothing for the architecture.
CompileRequest request_of(const Nvrtc& compiler, const KernelName& kernel, Architecture architecture);

// What the code is kept under; letters and digits. The driver has no part in it: code depends on what is compiled, how,
// and by which compiler.
std::string key_of(const Nvrtc& compiler, const CompileRequest& request);

}  // namespace crossdock::cuda
