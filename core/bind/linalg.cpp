// Linear algebra of the namespace.
#include "crossdock/ops/linalg.h"

#include <nanobind/nanobind.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_linalg(nb::module_& m) {
  m.def(
      "matmul",
      [](nb::handle x1, nb::handle x2) {
        const Array& a = array_of(x1, "matmul", array_or_null(x2.ptr()));
        const Array& b = array_of(x2, "matmul", &a);
        return to_python(unlocked(a.device(), kLongWork, [&] { return matmul(a, b); }));
      },
      "x1"_a.none(), "x2"_a.none(), nb::sig("def matmul(x1: Array, x2: Array, /) -> Array"),
      "The matrix product; vectors and leading dimensions as the array API standard has it. DimensionError names both "
      "shapes.");
}

}  // namespace crossdock::bind
