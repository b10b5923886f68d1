// failure_of: what a kernel's ErrorRecord says, as the error that the next wait throws.
#pragma once

#include <string>

#include "crossdock/runtime/error.h"
#include "kernels/args.h"

namespace crossdock::cuda {

// In the words of native's kernels. `earlier`: the failure is not of the operation that is waited for.
AsyncDeviceError failure_of(const ErrorRecord& record, const std::string& device, bool earlier = true);

}  // namespace crossdock::cuda
