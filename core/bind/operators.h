// Shared by the slots and the methods of Array.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"

namespace crossdock::bind {

namespace nb = nanobind;
using namespace nb::literals;

// One element to the host, without the GIL where that waits.
Scalar pull_scalar_of(const Array& array, const char* op);
// x.sum(...), x.mean(...), ...: the functions of the same name.
void define_reduction_methods(nb::class_<Array>& c);

}  // namespace crossdock::bind
