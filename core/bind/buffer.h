// The buffer protocol of host arrays (PEP 3118).
#pragma once

#include <nanobind/nanobind.h>

namespace crossdock::bind {

int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

}  // namespace crossdock::bind
