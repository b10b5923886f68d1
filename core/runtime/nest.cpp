#include "crossdock/runtime/nest.h"

#include <algorithm>
#include <cstdlib>

namespace crossdock {

Nest::Nest(const Launch& launch, int first_dim, int last_dim, int first_operand, int last_operand,
           bool ordered) noexcept
    : noperands(last_operand - first_operand) {
  const Operand* operands = launch.operands.data() + first_operand;
  for (int i = 0; i < noperands; ++i) pointers[i] = pointer(operands[i]);
  for (int dim = first_dim; dim < last_dim; ++dim) {
    std::int64_t dim_strides[kMaxOperands];
    for (int i = 0; i < noperands; ++i) dim_strides[i] = stride(operands[i], dim);
    add_dim(launch.shape[dim], dim_strides);
  }
  if (size == 0) return;
  merge();
  if (!ordered) {  // what lies apart afterwards is merged before
    sort();
    merge();
  }
  if (ndim == 0) {
    ndim = 1;
    shape[0] = 1;
    std::fill_n(strides[0], noperands, 0);
  }
}

void Nest::add_dim(std::int64_t extent, const std::int64_t* dim_strides) noexcept {
  size *= extent;
  if (extent == 1) return;
  shape[ndim] = extent;
  std::copy_n(dim_strides, noperands, strides[ndim]);
  ++ndim;
}

// By the sum of the strides' sizes, largest first; dimensions that the output walks backwards are turned around.
void Nest::sort() noexcept {
  std::int64_t weights[kMaxNdim];
  const int output = noperands - 1;
  for (int dim = 0; dim < ndim; ++dim) {
    std::int64_t row[kMaxOperands];
    const bool backwards = strides[dim][output] < 0;
    std::int64_t weight = 0;
    for (int i = 0; i < noperands; ++i) {
      row[i] = strides[dim][i];
      if (backwards) {
        pointers[i] += row[i] * (shape[dim] - 1);
        row[i] = -row[i];
      }
      weight += std::abs(row[i]);
    }
    const std::int64_t extent = shape[dim];
    int place = dim;
    for (; place > 0 && weights[place - 1] < weight; --place) {
      weights[place] = weights[place - 1];
      shape[place] = shape[place - 1];
      std::copy_n(strides[place - 1], noperands, strides[place]);
    }
    weights[place] = weight;
    shape[place] = extent;
    std::copy_n(row, noperands, strides[place]);
  }
}

void Nest::merge() noexcept {
  int last = 0;
  for (int dim = 1; dim < ndim; ++dim) {
    bool follows = true;
    for (int i = 0; i < noperands; ++i) follows &= strides[last][i] == strides[dim][i] * shape[dim];
    if (follows) {
      shape[last] *= shape[dim];
    } else {
      shape[++last] = shape[dim];
    }
    std::copy_n(strides[dim], noperands, strides[last]);
  }
  if (ndim > 0) ndim = last + 1;
}

Odometer::Odometer(const Nest& nest, std::int64_t element, std::byte* const* pointers) noexcept : nest_(nest) {
  std::copy_n(pointers, nest.noperands, pointers_);
  for (int dim = nest.ndim - 1; dim >= 0; --dim) {
    index_[dim] = element == 0 ? 0 : element % nest.shape[dim];
    element /= nest.shape[dim];
    for (int i = 0; i < nest.noperands; ++i) pointers_[i] += index_[dim] * nest.strides[dim][i];
  }
}

void Odometer::next_row() noexcept {
  int dim = nest_.ndim - 1;
  for (int i = 0; i < nest_.noperands; ++i) pointers_[i] -= index_[dim] * nest_.strides[dim][i];
  index_[dim] = 0;
  while (--dim >= 0) {
    const bool wraps = ++index_[dim] == nest_.shape[dim];
    const std::int64_t steps = wraps ? 1 - nest_.shape[dim] : 1;
    for (int i = 0; i < nest_.noperands; ++i) pointers_[i] += steps * nest_.strides[dim][i];
    if (!wraps) return;
    index_[dim] = 0;
  }
}

}  // namespace crossdock
