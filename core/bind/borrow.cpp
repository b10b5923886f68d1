#include "borrow.h"

#include <utility>

#include "gil.h"

namespace crossdock::bind {

namespace {

// What is seen of a buffer, over memory that somebody holds.
template <class Hold>
Array borrow(const BufferView& view, Dtype dtype, Hold&& hold) {
  Dims shape(reinterpret_cast<const std::int64_t*>(view.shape), view.ndim);
  Dims strides(reinterpret_cast<const std::int64_t*>(view.strides), view.ndim);
  checked_nbytes(shape, itemsize(dtype));
  const auto [low, high] = byte_extent(shape, strides, itemsize(dtype));
  auto* data = static_cast<std::byte*>(view.buf);
  auto buffer = hold(data, static_cast<std::size_t>(high - low));
  return Array(std::move(buffer), data, dtype, std::move(shape), std::move(strides), view.readonly != 0);
}

}  // namespace

void drop_reference(PyObject* object) {
  if (!Py_IsInitialized()) return;
  const Locked locked;
  Py_DECREF(object);
}

// The exporter of a buffer keeps its memory as long as it lives, so that a reference to it is enough.
Array borrow(const BufferView& view, nb::object owner, Dtype dtype, Device& device) {
  return borrow(view, dtype,
                [&](std::byte* data, std::size_t nbytes) { return hold(device, data, nbytes, std::move(owner)); });
}

Array borrow(const BufferView& view, std::function<void()> release, Dtype dtype, Device& device) {
  return borrow(view, dtype, [&](std::byte* data, std::size_t nbytes) {
    return Buffer::borrow(device, data, nbytes, std::move(release));
  });
}

}  // namespace crossdock::bind
