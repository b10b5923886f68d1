// Python's index expressions: x[key] and x[key] = value.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/ops/scalar.h"

namespace crossdock::bind {

// A view for integers, slices, ... and None, else a fresh array. IndexError or TypeError for what is no index.
Array subscript(const Array& array, PyObject* key);
// Broadcasts; a value of a higher kind than the array's dtype is a DtypeError.
void assign_subscript(const Array& array, PyObject* key, const Argument& value);

}  // namespace crossdock::bind
