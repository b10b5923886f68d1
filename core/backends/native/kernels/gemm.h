// The own matrix product, of every dtype and any strides: blocks of the output are tasks; each packs the panels it
// needs.
#pragma once

#include "matrix.h"

namespace crossdock::native {

void gemm(const MatrixProduct& products, Dtype dtype);

}  // namespace crossdock::native
