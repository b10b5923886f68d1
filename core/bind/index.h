// Python's index expressions, and assignment through them.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "crossdock/array/indexing.h"
#include "crossdock/ops/scalar.h"

namespace crossdock::bind {

// The parts of x[...]; IndexError or TypeError for what is no index.
std::vector<Index> indexes_of(PyObject* key);
// x[key] = value: broadcasts; a value of a higher kind than the array's dtype is a DtypeError.
void assign(const Array& array, PyObject* key, const Argument& value);

}  // namespace crossdock::bind
