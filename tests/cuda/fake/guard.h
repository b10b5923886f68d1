// A fault in what a device does is an error of the device, not the end of the process.
#pragma once

#include <functional>

namespace fake {

void catch_kernel_faults();

// What the work returns; kIllegalAddress when it touched memory that is not there, kLaunchFailed for other faults.
// Destructors of what was under way at the fault do not run.
int guarded(const std::function<int()>& work);

}  // namespace fake
