// The simulated accelerator's counters and faults.
#include "crossdock/backends/sim.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_sim(nb::module_& m) {
  m.def(
      "_sim_counters",
      [](int index) {
        const sim::Counters c = sim::counters(index);
        return nb::make_tuple(c.host_to_device_nbytes, c.device_to_host_nbytes, c.device_to_device_nbytes, c.copies,
                              c.syncs);
      },
      "index"_a, nb::sig("def _sim_counters(index: int) -> tuple[int, int, int, int, int]"));
  m.def(
      "_sim_inject",
      [](const std::string& kind, std::optional<int> index, std::int64_t after) { sim::inject(kind, index, after); },
      "kind"_a, "index"_a.none(), "after"_a);
  m.def("_sim_clear_faults", &sim::clear_faults, nb::call_guard<Unlocked>());
}

}  // namespace crossdock::bind
