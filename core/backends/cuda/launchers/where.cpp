// where, by the size of an element.
#include <string>

#include "aligned.h"
#include "flat.h"
#include "indexed.h"
#include "launchers.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

constexpr int kNestSteps = 4, kSizes = 5;
enum Layout { flat, nest, kLayouts };

// Three packs are in flight in each step; unpacking 16 elements of each takes many registers.
int flat_steps(int itemsize) { return itemsize == 1 ? 1 : 2; }

std::string expression(int number) {
  const int size = 1 << number / kLayouts;
  if (number % kLayouts == nest)
    return std::string("nest_where<") + bytes_type(size) + ", " + std::to_string(kNestSteps) + ">";
  return std::string("flat_where<") + bytes_type(size) + ", " + std::to_string(16 / size) + ", " +
         std::to_string(flat_steps(size)) + ">";
}

KernelFamily family("where.cuh", kSizes* kLayouts, expression);

int number_of(int itemsize, Layout layout) {
  int size = 0;
  while (1 << size < itemsize) ++size;
  return size * kLayouts + layout;
}

void where(const Launch& launch) {
  const Nest elements(launch);
  if (elements.size == 0) return;
  const Launcher launcher(launch);
  const int size = itemsize(launch.output().dtype), lanes = 16 / size;
  if (is_flat(launch, elements, lanes)) {
    const auto args = flat_args<4>(launcher, elements);
    return launcher.run(family, number_of(size, flat), launcher.grid(args.size, lanes * flat_steps(size)), args);
  }
  for_indexed<4>(launcher, elements, [&](const IndexedArgs<4>& args) {
    launcher.run(family, number_of(size, nest), launcher.grid(args.size, kNestSteps), args);
  });
}

}  // namespace

void register_where(KernelTable& table) {
  for (int dtype = 0; dtype < kDtypeCount; ++dtype) table.set(Op::where, static_cast<Dtype>(dtype), aligned<where>);
}

}  // namespace crossdock::cuda
