// The extension module crossdock.core._core.
#include <nanobind/nanobind.h>

#include "convert.h"
#include "crossdock/runtime/device.h"
#include "errors.h"
#include "port.h"
#include "types.h"

NB_MODULE(_core, m) {
  using namespace crossdock::bind;
  m.doc() = "The compiled array core. Use it through crossdock.core.";
  nb::set_leak_warnings(false);  // arrays may be alive in other libraries when the interpreter ends
  crossdock::register_native();
  crossdock::register_sim();
  crossdock::register_cuda();
  register_error_translation();
  heed_signals();
  define_dtype(m);
  define_device(m);
  define_array(m);
  cache_types();
  define_elementwise(m);
  define_creation(m);
  define_creation_like(m);
  define_manipulation(m);
  define_rearrangement(m);
  define_reductions(m);
  define_linalg(m);
  define_indexing(m);
  define_sorting(m);
  define_sets(m);
  define_statistics(m);
  define_fft(m);
  define_exchange(m);
  define_ports(m);
  define_short_cut(m);
  define_sim(m);
  define_cuda(m);
  define_cuda_pool(m);
  define_staging(m);
  explain_arguments(m);
}
