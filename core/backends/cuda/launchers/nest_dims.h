// Nests as kernels take them that go through their dimensions by themselves.
#pragma once

#include "crossdock/runtime/nest.h"
#include "kernels/reduction_args.h"

namespace crossdock::cuda {

// Some operands of a nest; one dimension of one element when the nest is empty.
template <int n>
NestDims<n> nest_dims(const Nest& nest, const int (&operands)[n]) {
  NestDims<n> dims{};
  dims.ndim = nest.size == 0 ? 0 : nest.ndim;
  for (int dim = 0; dim < dims.ndim; ++dim) {
    dims.shape[dim] = nest.shape[dim];
    for (int i = 0; i < n; ++i) dims.strides[i][dim] = nest.strides[dim][operands[i]];
  }
  if (dims.ndim > 0) return dims;
  dims.ndim = 1;
  dims.shape[0] = 1;
  return dims;
}

}  // namespace crossdock::cuda
