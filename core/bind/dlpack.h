// DLPack at the Python border: capsules out and in.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/array/array.h"

namespace crossdock::bind {

namespace nb = nanobind;

// Array.__dlpack__ (array API standard; all refusals are BufferError, the protocol's word).
nb::object to_capsule(const Array& array, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                      nb::handle copy);
// from_dlpack: the object's own memory on the device it says; the capsule is consumed.
Array from_producer(nb::handle producer, nb::handle copy);

}  // namespace crossdock::bind
