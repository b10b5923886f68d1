// Copies: within one memory and between memories, with conversion.
#pragma once

#include <string>

#include "crossdock/array/array.h"

namespace crossdock {

// A fresh array in C order on the same device.
Array copy(const Array& array);
// The same converted; elements that do not fit are converted as C would, unchecked. Always a fresh array.
Array astype(const Array& array, Dtype dtype);
// The array itself when it has the dtype, else converted.
inline Array astype_if_needed(const Array& array, Dtype dtype) {
  return array.dtype() == dtype ? array : astype(array, dtype);
}
// The array itself when it is C-contiguous, else a copy.
Array contiguous(const Array& array);

// A view without leading dimensions of one element as long as it has more than `ndim`: as NumPy's assignment, where
// (1, 3) fits into (3,).
Array without_leading_ones(const Array& source, int ndim);

// What the transfer hook is told; empty strings mean the devices' specs.
struct TransferLabel {
  const char* op = "copy";
  std::string source = {}, target = {};
  bool implicit = false;
  bool blocking = true;  // false: a host source is held until it has been read, and must not change before
};

// Writes `source`, broadcast to target's shape and converted to its dtype, into `target`; any devices, any layouts,
// overlapping memory included. The transfer hook is called before bytes leave one memory for another, and may refuse.
// ReadOnlyError, DimensionError naming both shapes.
void copy_into(const Array& target, const Array& source, const TransferLabel& label = {});

// On another device: the array itself on its own device, a view where the memory is the same, else a copy.
Array to_device(const Array& array, Device& device, const TransferLabel& label = {});

// One element of a size-1 array to the host, waiting for it (TypeError for another size).
void pull(const Array& array, std::byte* out, const char* op);

}  // namespace crossdock
