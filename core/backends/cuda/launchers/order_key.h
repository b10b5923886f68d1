// The order of a dtype's elements as kernels take it.
#pragma once

#include "crossdock/runtime/dtype.h"
#include "kernels/order_key.h"

namespace crossdock::cuda {

// bool, an integer or a real floating-point dtype.
OrderKey order_key(Dtype dtype, bool descending = false) noexcept;

}  // namespace crossdock::cuda
