// Host memory that a Python object shows through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>

#include "crossdock/array/array.h"

namespace crossdock::bind {

namespace nb = nanobind;

// Gives a Python reference back from any thread; not once the interpreter is going.
void drop_reference(PyObject* object);

class HeldBuffer final : public Buffer {
 public:
  HeldBuffer(Device& device, std::byte* data, std::size_t nbytes, PyObject* owner) noexcept
      : Buffer(device, data, nbytes), owner_(owner) {}
  ~HeldBuffer() override { drop_reference(owner_); }

 private:
  PyObject* owner_;
};

// The memory of a Python object, which is kept as long.
inline std::shared_ptr<Buffer> hold(Device& device, std::byte* data, std::size_t nbytes, nb::object owner) {
  auto buffer = std::make_shared<HeldBuffer>(device, data, nbytes, owner.ptr());
  owner.release();  // the buffer's now
  return buffer;
}

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
