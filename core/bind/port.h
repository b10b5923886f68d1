// The compiled ends of a transfer that takes no plan: how arrays of one type are read, and how those of another are
// made over the same memory. Both only say yes where the general path would come to the same end.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "crossdock/array/array.h"

namespace crossdock::bind {

namespace nb = nanobind;

class Reader {
 public:
  virtual ~Reader() = default;
  // The array that `object`, of exactly the type the reader is for, stands for: its own, or one made in `room` over the
  // same memory, which then counts as `host`'s. Null where the general path must decide. May leave a Python error set
  // or throw, which means the same.
  virtual const Array* read(PyObject* object, Device& host, std::optional<Array>& room) = 0;
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual Device& host();  // whose host memory is read here; native:0 unless the writer is for another one
  virtual bool keeps(PyObject* object) = 0;  // `object` lives here already, and travels; sets no Python error
  // A new reference to an array over the memory of `array`, which has been read from `source` and may stand in `room`.
  // Null as above.
  virtual PyObject* write(PyObject* source, const Array& array, std::optional<Array>& room) = 0;
};

// Arrays of ours; `define_ports` adds the others.
void define_ports(nb::module_& m);
void define_numpy_port(nb::module_& m);
void define_table_port(nb::module_& m);
void define_buffer_port(nb::module_& m);
void define_copy_port(nb::module_& m);

// Data types by their names, a bit for each that is one of ours.
std::uint32_t bits_of(nb::handle dtype_names);

// The Python array that holds what was read: the source itself if it is ours, else a new one. A new reference.
PyObject* holder_of(PyObject* source, std::optional<Array>& room);

}  // namespace crossdock::bind
