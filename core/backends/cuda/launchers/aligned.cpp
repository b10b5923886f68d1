#include "aligned.h"

#include <algorithm>
#include <optional>

#include "copy.h"
#include "launcher.h"

namespace crossdock::cuda {

namespace {

bool is_aligned(const Operand& operand, const Dims& shape) noexcept {
  auto all = reinterpret_cast<std::uintptr_t>(operand.data);
  for (int dim = 0; dim < shape.size() && dim < operand.strides.size(); ++dim) {
    if (shape[dim] > 1) all |= static_cast<std::uintptr_t>(operand.strides[dim]);
  }
  return all % static_cast<std::uintptr_t>(std::min(itemsize(operand.dtype), 8)) == 0;
}

// Contiguous, at `data`.
Operand dense(const Launch& launch, const Operand& like, std::byte* data) {
  Operand operand = like;
  operand.data = data;
  operand.strides = Dims(launch.shape.size());
  std::int64_t stride = itemsize(like.dtype);
  for (int dim = launch.shape.size() - 1; dim >= 0; --dim) {
    operand.strides[dim] = stride;
    stride *= launch.shape[dim];
  }
  return operand;
}

void move(const Launch& launch, const Operand& from, const Operand& to) {
  Launch moved;
  moved.op = launch.op;
  moved.dtype = from.dtype;
  moved.shape = launch.shape;
  moved.noperands = 2;
  moved.operands[0] = from;
  moved.operands[1] = to;
  moved.stream = launch.stream;
  copy(moved);
}

}  // namespace

bool is_aligned(const Launch& launch) noexcept {
  for (int i = 0; i < launch.noperands; ++i) {
    if (!is_aligned(launch.operands[static_cast<std::size_t>(i)], launch.shape)) return false;
  }
  return true;
}

void run_aligned(const Launch& launch, Kernel kernel) {
  std::int64_t size = 1;
  for (const std::int64_t extent : launch.shape) size *= extent;
  if (size == 0) return;
  const Launcher launcher(launch);
  Launch changed = launch;
  std::array<std::optional<Scratch>, 4> copies;
  for (int i = 0; i < launch.noperands; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Operand& operand = launch.operands[at];
    if (is_aligned(operand, launch.shape)) continue;
    copies[at].emplace(launcher, static_cast<std::size_t>(size * itemsize(operand.dtype)));
    changed.operands[at] = dense(launch, operand, copies[at]->data());
    if (i != launch.noperands - 1) move(launch, operand, changed.operands[at]);
  }
  kernel(changed);
  if (copies[static_cast<std::size_t>(launch.noperands - 1)]) move(launch, changed.output(), launch.output());
}

}  // namespace crossdock::cuda
