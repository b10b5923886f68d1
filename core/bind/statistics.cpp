// Cumulative and statistical functions of the namespace.
#include <nanobind/nanobind.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_statistics(nb::module_&) {}

}  // namespace crossdock::bind
