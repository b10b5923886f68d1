// The transforms behind crossdock.core.fft.
#include <nanobind/nanobind.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_fft(nb::module_&) {}

}  // namespace crossdock::bind
