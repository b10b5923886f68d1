// Unary and binary operations.
#include <algorithm>
#include <string>

#include "aligned.h"
#include "copy.h"
#include "flat.h"
#include "functors.h"
#include "indexed.h"
#include "launchers.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

// How many elements each thread takes at a time.
struct Share {
  int lanes;  // of one memory instruction
  int steps;  // instructions in flight together
};

Share flat_share(const Functor& functor, Dtype dtype) {
  const int lanes = 16 / std::max(itemsize(dtype), itemsize(functor.result_dtype(dtype)));
  if (functor.cost == Cost::light) return {lanes, functor.operands == 1 ? 4 : 2};
  // Computing is what takes long: more threads hide more of it than more memory instructions of each do.
  return {is_complex(dtype) ? 1 : std::min(lanes, 4), 1};
}
int nest_steps(const Functor& functor) { return functor.cost == Cost::light ? 4 : 1; }

enum Layout { flat, nest, kLayouts };

int number_of(const Functor& functor, Dtype dtype, Layout layout) {
  return (static_cast<int>(functor.op) * kDtypeCount + static_cast<int>(functor.kernel_dtype(dtype))) * kLayouts +
         layout;
}

std::string expression(int number) {
  const auto layout = static_cast<Layout>(number % kLayouts);
  const auto dtype = static_cast<Dtype>(number / kLayouts % kDtypeCount);
  const Functor* functor = find_functor(static_cast<Op>(number / kLayouts / kDtypeCount), dtype);
  if (!functor || functor->kernel_dtype(dtype) != dtype) return "";
  const std::string arity = functor->operands == 1 ? "unary<" : "binary<";
  const std::string types = std::string(functor->name) + ", " + storage_type(dtype) + ", ";
  if (layout == nest) return "nest_" + arity + types + std::to_string(nest_steps(*functor)) + ">";
  const Share share = flat_share(*functor, dtype);
  return "flat_" + arity + types + std::to_string(share.lanes) + ", " + std::to_string(share.steps) + ">";
}

KernelFamily family("elementwise.cuh", kOpCount * kDtypeCount * kLayouts, expression);

template <int n>
void run(const Launcher& launcher, const Functor& functor, const Nest& elements) {
  const Dtype dtype = launcher.launch().dtype;
  const Share share = flat_share(functor, dtype);
  if (is_flat(launcher.launch(), elements, share.lanes)) {
    const auto args = flat_args<n>(launcher, elements);
    const Grid grid = launcher.grid(args.size, share.lanes * share.steps);
    return launcher.run(family, number_of(functor, dtype, flat), grid, args);
  }
  for_indexed<n>(launcher, elements, [&](const IndexedArgs<n>& args) {
    const Grid grid = launcher.grid(args.size, nest_steps(functor));
    launcher.run(family, number_of(functor, dtype, nest), grid, args);
  });
}

void elementwise(const Launch& launch) {
  const Functor& functor = *find_functor(launch.op, launch.dtype);
  const Nest elements(launch);
  if (elements.size == 0) return;
  const Launcher launcher(launch);
  functor.operands == 1 ? run<2>(launcher, functor, elements) : run<3>(launcher, functor, elements);
}

// The same answer for all elements.
template <bool answer>
void constant(const Launch& launch) {
  Launch copied = launch;
  copied.operands[0] = Operand{};
  copied.operands[0].immediate[0] = std::byte{answer};
  copy(copied);
}

// Operations that say nothing new about whole and about real numbers.
void register_trivial(KernelTable& table) {
  for (int number = static_cast<int>(Dtype::int8); number <= static_cast<int>(Dtype::float64); ++number) {
    const auto dtype = static_cast<Dtype>(number);
    for (const Op op : {Op::real, Op::conj}) table.set(op, dtype, copy);
    if (!is_integer(dtype)) continue;
    for (const Op op : {Op::floor, Op::ceil, Op::trunc, Op::round}) table.set(op, dtype, copy);
    for (const Op op : {Op::isnan, Op::isinf}) table.set(op, dtype, constant<false>);
    table.set(Op::isfinite, dtype, constant<true>);
  }
}

}  // namespace

void register_elementwise(KernelTable& table) {
  register_trivial(table);
  for (int op = 0; op < kOpCount; ++op) {
    for (int dtype = 0; dtype < kDtypeCount; ++dtype) {
      if (find_functor(static_cast<Op>(op), static_cast<Dtype>(dtype)))
        table.set(static_cast<Op>(op), static_cast<Dtype>(dtype), aligned<elementwise>);
    }
  }
}

}  // namespace crossdock::cuda
