#include <bit>
#include <string>

#include "aligned.h"
#include "copy.h"
#include "kernels/sort_args.h"
#include "launcher.h"
#include "launchers.h"
#include "nest_dims.h"
#include "order_key.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

// By the logarithm of the element's size.
std::string expression(int number) { return std::string("searchsorted<") + bytes_type(1 << number) + ">"; }

KernelFamily family("searchsorted.cuh", 4, expression);

void searchsorted(const Launch& launch) {
  const Launcher launcher(launch);
  const Nest nest(launch, 0, launch.shape.size(), 1, 3);
  if (nest.size == 0) return;
  SearchArgs args{};
  args.sorted = reinterpret_cast<const unsigned char*>(launch.operands[0].data);
  args.values = reinterpret_cast<const unsigned char*>(nest.pointers[0]);
  args.output = reinterpret_cast<unsigned char*>(nest.pointers[1]);
  args.sorted_size = launch.integers[0];
  args.sorted_stride = launch.integers[1];
  args.size = nest.size;
  args.right = launch.integers[2] != 0;
  args.order = order_key(launch.dtype);
  args.nest = nest_dims<2>(nest, {0, 1});
  const int number = std::countr_zero(static_cast<unsigned>(itemsize(launch.dtype)));
  launcher.run(family, number, launcher.grid(nest.size), args);
}

// The sorted array has another shape than the launch: what lies off its alignment is copied here.
void search_anywhere(const Launch& launch) {
  const std::int64_t size = itemsize(launch.dtype), count = launch.integers[0], step = launch.integers[1];
  const auto address = reinterpret_cast<std::uintptr_t>(launch.operands[0].data);
  if (count == 0 || (address | static_cast<std::uintptr_t>(step)) % static_cast<std::uintptr_t>(size) == 0) {
    return aligned<searchsorted>(launch);
  }
  const Launcher launcher(launch);
  const Scratch memory(launcher, static_cast<std::size_t>(count * size));
  Launch copied;
  copied.op = Op::copy;
  copied.dtype = launch.dtype;
  copied.shape = {count};
  copied.noperands = 2;
  copied.operands[0] = launch.operands[0];
  copied.operands[0].strides = {step};
  copied.operands[1] = {.data = memory.data(), .dtype = launch.dtype, .strides = {size}};
  copied.stream = launch.stream;
  copy(copied);
  Launch changed = launch;
  changed.operands[0].data = memory.data();
  changed.integers[1] = size;
  aligned<searchsorted>(changed);
}

}  // namespace

void register_searchsorted(KernelTable& table) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (kind(dtype) != DtypeKind::storage && !is_complex(dtype)) table.set(Op::searchsorted, dtype, search_anywhere);
  }
}

}  // namespace crossdock::cuda
