// Kernels: Fourier transforms.
#pragma once

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

void register_fft(KernelTable& table);

}  // namespace crossdock::native
