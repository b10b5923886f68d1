// Set functions of the namespace: what src/crossdock/core/_sets.py names.
#include "crossdock/ops/sets.h"

#include <nanobind/nanobind.h>

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_sets(nb::module_& m) {
  m.def(
      "_unique",
      [](nb::handle x, const std::string& op, bool indices, bool inverse, bool counts) {
        const Array& array = array_of(x, op.c_str());
        const Unique out = unlocked(array.device(), array.size(),
                                    [&] { return unique(op.c_str(), array, {indices, inverse, counts}); });
        nb::list parts;
        parts.append(to_python(out.values));
        for (const auto& part : {out.indices, out.inverse, out.counts}) {
          if (part) parts.append(to_python(*part));
        }
        return nb::tuple(parts);
      },
      "x"_a.none(), "op"_a, nb::kw_only(), "indices"_a = false, "inverse"_a = false, "counts"_a = false,
      nb::sig(
          "def _unique(x: Array, op: str, *, indices: bool = False, inverse: bool = False, counts: bool = False) -> "
          "tuple[Array, ...]"),
      "The different elements of x, and what else is asked for, in this order.");
}

}  // namespace crossdock::bind
