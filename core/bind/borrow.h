// Host memory that a Python object shows through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "crossdock/array/array.h"

namespace crossdock::bind {

namespace nb = nanobind;

// Gives a Python reference back from any thread; not once the interpreter is going.
void drop_reference(PyObject* object);

// Gives the view of a buffer back when it goes out of scope.
struct BufferView : Py_buffer {
  BufferView(nb::handle exporter, int flags) {
    if (PyObject_GetBuffer(exporter.ptr(), this, flags) < 0) throw nb::python_error();
  }
  ~BufferView() { PyBuffer_Release(this); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
};

// An array on a host device that looks at `view` (with strides, and elements of the dtype's size) and keeps `owner`.
Array borrow(const BufferView& view, nb::object owner, Dtype dtype, Device& device);
// The same, with what is called once when the memory is no longer looked at, but not if this throws.
Array borrow(const BufferView& view, std::function<void()> release, Dtype dtype, Device& device);

}  // namespace crossdock::bind
