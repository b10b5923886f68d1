// DLPack's table of C functions at the Python border: others' and our own.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/array/dlpack.h"

namespace crossdock::bind {

namespace nb = nanobind;

// The table of an array type, which lives as long as the process; null if there is none, or none of a version with
// all its functions that is known here. Only `borrow` may be missing.
const dlpack::ExchangeTable* table_of(nb::handle type);

// Array.__dlpack_c_exchange_api__.
nb::object table_of_ours();

}  // namespace crossdock::bind
