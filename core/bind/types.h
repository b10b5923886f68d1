// What the binding files define for the module, and the classes that exist only on the Python side.
#pragma once

#include <nanobind/nanobind.h>

#include "crossdock/runtime/dtype.h"

namespace crossdock::bind {

namespace nb = nanobind;

// A dtype as Python sees it.
struct DtypeObject {
  Dtype dtype;
};

void define_dtype(nb::module_& m);
void define_device(nb::module_& m);
void define_array(nb::module_& m);
void define_elementwise(nb::module_& m);
void define_creation(nb::module_& m);
void define_creation_like(nb::module_& m);
void define_manipulation(nb::module_& m);
void define_rearrangement(nb::module_& m);
void define_reductions(nb::module_& m);
void define_linalg(nb::module_& m);
void define_indexing(nb::module_& m);
void define_sorting(nb::module_& m);
void define_sets(nb::module_& m);
void define_statistics(nb::module_& m);
void define_fft(nb::module_& m);
void define_exchange(nb::module_& m);
void define_short_cut(nb::module_& m);
void define_sim(nb::module_& m);
void define_cuda(nb::module_& m);
void define_cuda_pool(nb::module_& m);
void define_staging(nb::module_& m);

void heed_signals();                     // long waits in the main thread run the handlers of signals
void explain_arguments(nb::module_& m);  // of all that is defined by then

extern PyType_Slot array_slots[];  // operators.cpp

}  // namespace crossdock::bind
