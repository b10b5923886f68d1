// Runs: short rows that lie contiguously in source and target, moved as whole bytes.
#pragma once

#include "rows.h"

namespace crossdock::native {

// Whether the innermost dimension of a copy within one dtype is such a run, too short for a call of memcpy each.
bool is_runs(const Nest& nest, std::int64_t itemsize) noexcept;
void copy_runs(const Nest& nest, std::int64_t itemsize);

}  // namespace crossdock::native
