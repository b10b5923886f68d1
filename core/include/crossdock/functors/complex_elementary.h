// Elementary functions of complex numbers, with the special values of C's Annex G.
#pragma once

#include "crossdock/functors/complex_circular.h"
#include "crossdock/functors/complex_exponentials.h"
#include "crossdock/functors/complex_inverses.h"
#include "crossdock/functors/complex_logarithms.h"
