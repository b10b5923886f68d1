// What the native back-end shows besides its registration.
#pragma once

#include <string>

#include "crossdock/runtime/kernel.h"

namespace crossdock::native {

// All host kernels for this CPU: the instruction set level is chosen once, by cpuid (CROSSDOCK_CPU_LEVEL=v2|v3|v4
// lowers it).
const KernelTable& kernels();
const char* cpu_level() noexcept;  // 'v2', 'v3', 'v4', or 'generic' off x86-64

// Where to find BLAS (a library with scipy-openblas' symbols); tried on the first matmul, the own GEMM serves without
// it.
void set_blas_path(std::string path);
const char* blas_name();  // 'scipy-openblas' or 'own'; loads

}  // namespace crossdock::native
