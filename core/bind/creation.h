// Shared by the creation functions and their namesakes in `_like`.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"

namespace crossdock::bind {

namespace nb = nanobind;

Scalar number_of(nb::handle object, const char* op);  // TypeError naming op and object
// Array::empty without the GIL: an accelerator that is nearly full waits for its work here, and that work may need the
// GIL to end.
nb::object unfilled(const Dims& shape, Dtype dtype, Device& device);

}  // namespace crossdock::bind
