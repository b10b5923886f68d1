#include "copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "aligned.h"
#include "flat.h"
#include "indexed.h"
#include "launchers.h"
#include "transpose.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

constexpr int kSteps = 4, kSizes = 5;
enum Layout { flat, nest, kLayouts };

// Between integers the target's sign does not matter, and the source's only where it is widened.
Dtype without_sign(Dtype dtype) {
  if (kind(dtype) != DtypeKind::signed_integer) return dtype;
  return static_cast<Dtype>(static_cast<int>(dtype) + static_cast<int>(Dtype::uint8) - static_cast<int>(Dtype::int8));
}

struct Pair {
  Dtype from, to;
};
Pair kernel_pair(Dtype from, Dtype to) {
  const bool whole = is_integer(from) || from == Dtype::bool_, widened = itemsize(to) > itemsize(from);
  if (is_integer(from) && (to == Dtype::bool_ || (is_integer(to) && !widened))) from = without_sign(from);
  return {from, whole ? without_sign(to) : to};
}
bool moves(Pair pair) { return pair.from == pair.to; }

int lanes_of(int from_itemsize, int to_itemsize) { return 16 / std::max(from_itemsize, to_itemsize); }

// First the casts, then the moves by size: 1, 2, 4, 8, 16 bytes.
constexpr int kCasts = kDtypeCount * kDtypeCount * kLayouts;
int number_of(Pair pair, Layout layout) {
  return (static_cast<int>(pair.from) * kDtypeCount + static_cast<int>(pair.to)) * kLayouts + layout;
}
int number_of(int itemsize, Layout layout) {
  int size = 0;
  while (1 << size < itemsize) ++size;
  return kCasts + size * kLayouts + layout;
}

std::string expression(const char* to, const char* from, Layout layout, int lanes) {
  const std::string types = std::string(to) + ", " + from + ", ";
  if (layout == nest) return "nest_copy<" + types + std::to_string(kSteps) + ">";
  return "flat_copy<" + types + std::to_string(lanes) + ", " + std::to_string(kSteps) + ">";
}

std::string expression(int number) {
  const auto layout = static_cast<Layout>(number % kLayouts);
  if (number >= kCasts) {
    const int size = 1 << (number - kCasts) / kLayouts;
    return expression(bytes_type(size), bytes_type(size), layout, 16 / size);
  }
  const Pair pair{static_cast<Dtype>(number / kLayouts / kDtypeCount),
                  static_cast<Dtype>(number / kLayouts % kDtypeCount)};
  const Pair kernel = kernel_pair(pair.from, pair.to);
  if (moves(kernel) || kernel.from != pair.from || kernel.to != pair.to) return "";
  return expression(storage_type(pair.to), storage_type(pair.from), layout,
                    lanes_of(itemsize(pair.from), itemsize(pair.to)));
}

KernelFamily family("copy.cuh", kCasts + kSizes * kLayouts, expression);

void run(const Launcher& launcher, const Nest& elements, int lanes, int flat_number, int nest_number, bool is_flat) {
  if (is_flat) {
    const auto args = flat_args<2>(launcher, elements);
    return launcher.run(family, flat_number, launcher.grid(args.size, lanes * kSteps), args);
  }
  for_indexed<2>(launcher, elements, [&](const IndexedArgs<2>& args) {
    launcher.run(family, nest_number, launcher.grid(args.size, kSteps), args);
  });
}

// The largest unit that rows, contiguous on both sides, consist of and lie on.
int unit_of(const Nest& nest, int itemsize) {
  const int last = nest.ndim - 1;
  if (nest.strides[last][0] != itemsize || nest.strides[last][1] != itemsize) return itemsize;
  std::uintptr_t all = static_cast<std::uintptr_t>(nest.shape[last] * itemsize);
  for (int i = 0; i < 2; ++i) {
    all |= reinterpret_cast<std::uintptr_t>(nest.pointers[i]);
    for (int dim = 0; dim < last; ++dim) all |= static_cast<std::uintptr_t>(nest.strides[dim][i]);
  }
  int unit = 16;
  while (unit > itemsize && all % static_cast<std::uintptr_t>(unit) != 0) unit /= 2;
  return unit;
}

// Elements that lie across their own size, byte by byte.
Nest in_bytes(const Nest& nest, int itemsize) {
  Nest bytes = nest;
  bytes.shape[bytes.ndim] = itemsize;
  std::fill_n(bytes.strides[bytes.ndim], bytes.noperands, 1);
  bytes.size *= itemsize;
  ++bytes.ndim;
  return bytes;
}

bool lies_aligned(const Nest& nest, int itemsize) {
  std::uintptr_t all = 0;
  for (int i = 0; i < nest.noperands; ++i) {
    all |= reinterpret_cast<std::uintptr_t>(nest.pointers[i]);
    for (int dim = 0; dim < nest.ndim; ++dim) all |= static_cast<std::uintptr_t>(nest.strides[dim][i]);
  }
  return all % static_cast<std::uintptr_t>(std::min(itemsize, 8)) == 0;
}

// One element of `itemsize` bytes everywhere, known to the host.
void fill(const Launcher& launcher, const Nest& elements, int itemsize) {
  const Launch& launch = launcher.launch();
  const std::byte* value = launch.operands[0].immediate;
  const bool same_bytes = std::all_of(value, value + itemsize, [value](std::byte one) { return one == value[0]; });
  const bool contiguous = elements.ndim == 1 && (elements.strides[0][1] == itemsize || elements.size == 1);
  if (contiguous && same_bytes) {
    return launcher.fill(elements.pointers[1], static_cast<unsigned char>(value[0]),
                         static_cast<std::size_t>(elements.size * itemsize));
  }
  if (!is_aligned(launch)) return run_aligned(launch, copy);
  const int lanes = 16 / itemsize;
  run(launcher, elements, lanes, number_of(itemsize, flat), number_of(itemsize, nest),
      is_flat(launch, elements, lanes));
}

// Rows in the largest units that they consist of.
void move_rows(const Launcher& launcher, Nest elements, int itemsize) {
  const int last = elements.ndim - 1, unit = unit_of(elements, itemsize);
  if (unit != itemsize) {
    elements.size = elements.size * itemsize / unit;
    elements.shape[last] = elements.shape[last] * itemsize / unit;
    std::fill_n(elements.strides[last], 2, unit);
  }
  run(launcher, elements, 1, 0, number_of(unit, nest), false);
}

void move(const Launcher& launcher, const Nest& elements, int itemsize) {
  if (elements.ndim == 1 && elements.strides[0][0] == itemsize && elements.strides[0][1] == itemsize) {
    return launcher.copy(elements.pointers[1], elements.pointers[0],
                         static_cast<std::size_t>(elements.size * itemsize));
  }
  if (!lies_aligned(elements, itemsize)) return move(launcher, in_bytes(elements, itemsize), 1);
  auto part = [&](const Nest& piece) {
    if (!transpose(launcher, piece, itemsize)) move_rows(launcher, piece, itemsize);
  };
  for_parts(elements, kMaxIndexedSize, part);
}

void cast(const Launch& launch) {
  const Nest elements(launch);
  if (elements.size == 0) return;
  const Launcher launcher(launch);
  const Dtype from = launch.operands[0].dtype, to = launch.operands[1].dtype;
  const Pair pair = kernel_pair(from, to);
  const int lanes = lanes_of(itemsize(from), itemsize(to));
  run(launcher, elements, lanes, number_of(pair, flat), number_of(pair, nest), is_flat(launch, elements, lanes));
}

}  // namespace

void copy(const Launch& launch) {
  const Dtype from = launch.operands[0].dtype, to = launch.operands[1].dtype;
  if (!moves(kernel_pair(from, to))) return aligned<cast>(launch);
  const Nest elements(launch);
  if (elements.size == 0) return;
  const Launcher launcher(launch);
  launch.operands[0].data ? move(launcher, elements, itemsize(to)) : fill(launcher, elements, itemsize(to));
}

void register_copy(KernelTable& table) {
  for (int dtype = 0; dtype < kDtypeCount; ++dtype) table.set(Op::copy, static_cast<Dtype>(dtype), copy);
}

}  // namespace crossdock::cuda
