// for_indexed: a nest as launches with 32-bit numbers of elements.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/indexed_args.h"
#include "launcher.h"

namespace crossdock::cuda {

// Calls visit(part) for pieces of the nest with at most `limit` elements and kMaxKernelNdim dimensions each; not at all
// when it is empty.
template <class Visit>
void for_parts(const Nest& nest, std::int64_t limit, Visit& visit) {
  if (nest.size == 0) return;
  if (nest.size <= limit && nest.ndim <= kMaxKernelNdim) return visit(nest);
  const std::int64_t inner = nest.size / nest.shape[0];
  const std::int64_t step = nest.ndim > kMaxKernelNdim ? 1 : std::max<std::int64_t>(1, limit / inner);
  for (std::int64_t begin = 0; begin < nest.shape[0]; begin += step) {
    Nest part = nest;
    part.shape[0] = std::min(step, nest.shape[0] - begin);
    part.size = inner * part.shape[0];
    for (int i = 0; i < nest.noperands; ++i) part.pointers[i] += begin * nest.strides[0][i];
    if (part.shape[0] == 1 && part.ndim > 1) {
      --part.ndim;
      std::copy(nest.shape + 1, nest.shape + nest.ndim, part.shape);
      std::memcpy(part.strides, nest.strides + 1, static_cast<std::size_t>(part.ndim) * sizeof nest.strides[0]);
    }
    for_parts(part, limit, visit);
  }
}

// Calls visit(args) for each part of the nest; operands that are scalars stay so.
template <int n, class Visit>
void for_indexed(const Launcher& launcher, const Nest& nest, Visit&& visit) {
  auto part = [&](const Nest& piece) {
    IndexedArgs<n> args{};
    args.size = static_cast<std::uint32_t>(piece.size);
    args.ndim = piece.ndim;
    args.errors = launcher.errors();
    for (int i = 0; i < n; ++i) {
      args.operands[i] = operand_of(launcher.launch(), i);
      if (args.operands[i].data) args.operands[i].data = reinterpret_cast<unsigned char*>(piece.pointers[i]);
    }
    for (int dim = 0; dim < piece.ndim; ++dim) {
      args.extents[dim] = divisor(static_cast<std::uint32_t>(piece.shape[dim]));
      std::copy_n(piece.strides[dim], n, args.strides[dim]);
    }
    visit(static_cast<const IndexedArgs<n>&>(args));
  };
  for_parts(nest, kMaxIndexedSize, part);
}

}  // namespace crossdock::cuda
