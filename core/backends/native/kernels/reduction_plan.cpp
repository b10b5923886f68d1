#include "reduction_plan.h"

#include <cstdlib>

namespace crossdock::native {

ReductionPlan::ReductionPlan(const Launch& launch, bool ordered) noexcept
    : reduced(launch, launch.shape.size() - launch.reduced, launch.shape.size(), 0, 1, ordered),
      kept(launch, 0, launch.shape.size() - launch.reduced, 0, launch.noperands) {
  if (empty() || reduced.size == 0) return;
  kept.pointers[0] += reduced.pointers[0] - pointer(launch.operands[0]);  // where turned dimensions begin
  cut();
}

void ReductionPlan::cut() noexcept {
  const int inner = kept.ndim - 1;
  const std::int64_t row_stride = std::abs(reduced.strides[reduced.ndim - 1][0]);
  const std::int64_t column_stride = std::abs(kept.strides[inner][0]);
  by_rows = kept.size == 1 || (reduced.size > 1 && row_stride <= column_stride);
  width = by_rows ? 1 : std::min(kMaxWidth, kept.shape[inner]);
  tiles = by_rows ? 1 : (kept.shape[inner] + width - 1) / width;
  groups = by_rows ? kept.size : kept.size / kept.shape[inner] * tiles;
  constexpr std::int64_t kPart = 64 * 1024, kMaxRowParts = 256, kMaxColumnParts = 32;
  const std::int64_t wanted = std::min(reduced.size * width / kPart, by_rows ? kMaxRowParts : kMaxColumnParts);
  part_size = (reduced.size + std::max<std::int64_t>(wanted, 1) - 1) / std::max<std::int64_t>(wanted, 1);
  parts = (reduced.size + part_size - 1) / part_size;
  grain = std::max<std::int64_t>(1, kGrain / (part_size * width));
}

Tile::Tile(const ReductionPlan& plan, std::int64_t group) noexcept {
  const int inner = plan.kept.ndim - 1;
  const std::int64_t row = group / plan.tiles, begin = group % plan.tiles * plan.width;
  const std::int64_t element = plan.by_rows ? group : row * plan.kept.shape[inner] + begin;
  const Odometer at(plan.kept, element);
  input = at.pointers()[0];
  second = at.pointers()[1];
  output = at.pointers()[plan.kept.noperands - 1];
  input_stride = plan.kept.strides[inner][0];
  second_stride = plan.kept.strides[inner][1];
  output_stride = plan.kept.strides[inner][plan.kept.noperands - 1];
  width = plan.by_rows ? 1 : std::min(plan.width, plan.kept.shape[inner] - begin);
}

}  // namespace crossdock::native
