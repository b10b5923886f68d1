#include <string>

#include "aligned.h"
#include "launcher.h"
#include "launchers.h"
#include "reduction_plan.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

constexpr Op kFirst = Op::sum;
constexpr int kOps = static_cast<int>(Op::squared_deviations) - static_cast<int>(kFirst) + 1;

bool is_extreme(Op op) { return op == Op::max || op == Op::min; }
bool is_place(Op op) { return op == Op::argmax || op == Op::argmin; }
bool is_truth(Op op) { return op == Op::any || op == Op::all; }

Dtype unsigned_of(int nbytes) {
  return nbytes == 1 ? Dtype::uint8 : nbytes == 2 ? Dtype::uint16 : nbytes == 4 ? Dtype::uint32 : Dtype::uint64;
}

// The dtype of an instance that serves this one too: by an element's bits where those are enough.
Dtype served_by(Op op, Dtype dtype) {
  if (is_truth(op)) return dtype == Dtype::complex128 ? dtype : unsigned_of(itemsize(dtype));
  if (op == Op::sum || op == Op::prod) {
    if (dtype == Dtype::bool_) return Dtype::uint8;
    if (dtype == Dtype::int64) return Dtype::uint64;
  }
  return dtype;
}

// Likewise for the merging of accumulators.
Dtype merged_by(Op op, Dtype dtype) {
  if (is_truth(op)) return Dtype::uint8;
  if (op == Op::squared_deviations) return Dtype::float64;
  if (op == Op::sum || op == Op::prod) {
    return is_complex(dtype) ? Dtype::complex128 : is_real_floating(dtype) ? Dtype::float64 : Dtype::uint64;
  }
  if (itemsize(dtype) == 8) return dtype;
  return is_real_floating(dtype)                    ? Dtype::float32
         : kind(dtype) == DtypeKind::signed_integer ? Dtype::int32
                                                    : Dtype::uint32;
}

bool takes(Op op, Dtype dtype) {
  if (kind(dtype) == DtypeKind::storage) return false;
  if (is_extreme(op) || is_place(op)) return is_integer(dtype) || is_real_floating(dtype);
  return op != Op::squared_deviations || is_real_floating(dtype);
}

std::int64_t accumulator_nbytes(Op op, Dtype dtype) {
  if (is_truth(op)) return 4;
  if (is_place(op) || op == Op::squared_deviations) return 16;
  return itemsize(merged_by(op, dtype));
}

std::uint64_t truth_mask(Dtype dtype) {
  const std::uint64_t all = ~std::uint64_t{0};
  if (dtype == Dtype::complex64) return 0x7fff'ffff'7fff'ffff;
  return is_floating(dtype) ? all >> (65 - 8 * std::min(8, itemsize(dtype))) : all;
}

std::string reduction_type(Op op, Dtype dtype) {
  const std::string stored = std::string(storage_type(dtype)) + ">";
  switch (op) {
    case Op::sum:
      return "Accumulation<Plus, " + stored;
    case Op::prod:
      return "Accumulation<Times, " + stored;
    case Op::max:
      return "Extreme<true, " + stored;
    case Op::min:
      return "Extreme<false, " + stored;
    case Op::any:
      return "Truth<true, " + stored;
    case Op::all:
      return "Truth<false, " + stored;
    case Op::argmax:
      return "Place<true, " + stored;
    case Op::argmin:
      return "Place<false, " + stored;
    default:
      return "Deviations<" + stored;
  }
}

int number_of(Op op, Dtype dtype, bool merging) {
  const int row = static_cast<int>(op) - static_cast<int>(kFirst);
  return (row * kDtypeCount + static_cast<int>(dtype)) * 2 + merging;
}

std::string expression(int number) {
  const bool merging = number % 2 != 0;
  const auto dtype = static_cast<Dtype>(number / 2 % kDtypeCount);
  const auto op = static_cast<Op>(number / 2 / kDtypeCount + static_cast<int>(kFirst));
  if (!takes(op, dtype) || (merging ? merged_by(op, dtype) : served_by(op, dtype)) != dtype) return "";
  const std::string type = reduction_type(op, dtype);
  return merging ? "reduce<Merged<" + type + ">>" : "reduce<" + type + ">";
}

KernelFamily family("reduction.cuh", kOps * kDtypeCount * 2, expression);

void reduce(const Launch& launch) {
  const Launcher launcher(launch);
  ReductionPlan plan(launch, is_place(launch.op), launcher.multiprocessors());
  if (plan.empty()) return;
  const Dtype dtype = launch.operands[0].dtype;
  if (is_truth(launch.op)) plan.args.mask = truth_mask(dtype);
  const int number = number_of(launch.op, served_by(launch.op, dtype), false);
  if (!plan.in_parts()) return launcher.run(family, number, plan.grid(), plan.args);
  const std::int64_t nbytes = accumulator_nbytes(launch.op, dtype);
  const Scratch partial(launcher, static_cast<std::size_t>(plan.parts * plan.args.size * nbytes));
  plan.args.partial = reinterpret_cast<unsigned char*>(partial.data());
  launcher.run(family, number, plan.grid(), plan.args);
  const ReductionPlan merging = plan.merging(plan.args.partial, nbytes);
  launcher.run(family, number_of(launch.op, merged_by(launch.op, dtype), true), merging.grid(), merging.args);
}

}  // namespace

void register_reductions(KernelTable& table) {
  for (int row = 0; row < kOps; ++row) {
    const auto op = static_cast<Op>(row + static_cast<int>(kFirst));
    for (int number = 0; number < kDtypeCount; ++number) {
      const auto dtype = static_cast<Dtype>(number);
      if (takes(op, dtype)) table.set(op, dtype, aligned<reduce>);
    }
  }
}

}  // namespace crossdock::cuda
