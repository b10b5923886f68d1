// Nests that are one run of elements in every operand.
#pragma once

#include "launcher.h"

namespace crossdock::cuda {

// Whether every operand of the nest is contiguous, or a scalar that travels with the launch, and lies so that
// `lanes` elements can be moved at once.
bool is_flat(const Launch& launch, const Nest& nest, int lanes) noexcept;

template <int n>
FlatArgs<n> flat_args(const Launcher& launcher, const Nest& nest) {
  FlatArgs<n> args{};
  args.size = nest.size;
  args.errors = launcher.errors();
  for (int i = 0; i < n; ++i) {
    args.operands[i] = operand_of(launcher.launch(), i);
    if (args.operands[i].data) args.operands[i].data = reinterpret_cast<unsigned char*>(nest.pointers[i]);
  }
  return args;
}

}  // namespace crossdock::cuda
