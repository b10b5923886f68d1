// arange.
#include <string>

#include "kernels/arange_args.h"
#include "launcher.h"
#include "launchers.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

bool is_made(Dtype dtype) { return kind(dtype) != DtypeKind::storage && dtype != Dtype::bool_; }

// Modulo 2^N, signed and unsigned integers are the same.
int number_of(Dtype dtype) {
  const int sign =
      kind(dtype) == DtypeKind::signed_integer ? static_cast<int>(Dtype::uint8) - static_cast<int>(Dtype::int8) : 0;
  return static_cast<int>(dtype) + sign;
}

std::string expression(int number) {
  const auto dtype = static_cast<Dtype>(number);
  if (!is_made(dtype) || number_of(dtype) != number) return "";
  return std::string("arange<") + storage_type(dtype) + ">";
}

KernelFamily family("arange.cuh", kDtypeCount, expression);

void arange(const Launch& launch) {
  const Launcher launcher(launch);
  const KernelOperand output = operand_of(launch, launch.noperands - 1);
  ArangeArgs args{};
  args.size = launch.shape.size() == 0 ? 1 : launch.shape[0];
  if (args.size == 0) return;
  args.stride = stride(launch.output(), 0);
  args.to = output.data;
  args.whole_start = static_cast<std::uint64_t>(launch.integers[0]);
  args.whole_step = static_cast<std::uint64_t>(launch.integers[1]);
  args.start = launch.scalars[0];
  args.step = launch.scalars[1];
  launcher.run(family, number_of(launch.dtype), launcher.grid(args.size, 4), args);
}

}  // namespace

void register_arange(KernelTable& table) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (is_made(dtype)) table.set(Op::arange, dtype, arange);
  }
}

}  // namespace crossdock::cuda
