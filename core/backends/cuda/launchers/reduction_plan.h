// ReductionPlan: how a reduction is cut into blocks and threads, and into parts that are merged afterwards.
#pragma once

#include "crossdock/runtime/kernel.h"
#include "crossdock/runtime/nest.h"
#include "kernels/reduction_args.h"
#include "launcher.h"

namespace crossdock::cuda {

struct ReductionPlan {
  // `ordered`: the elements of a result are counted in C order.
  ReductionPlan(const Launch& launch, bool ordered, int multiprocessors);

  bool empty() const noexcept { return args.size == 0; }
  bool in_parts() const noexcept { return parts > 1; }
  Grid grid() const noexcept;
  // What merges the parts: accumulators of `nbytes` each, in `partial`.
  ReductionPlan merging(unsigned char* partial, std::int64_t nbytes) const;

  ReductionArgs args{};
  std::int64_t parts = 1;

 private:
  ReductionPlan() = default;
  void choose_threads(std::int64_t itemsize, std::int64_t wanted_threads);
  void cut(std::int64_t itemsize, std::int64_t wanted_blocks);
  std::int64_t width() const noexcept { return kReductionThreads >> args.lanes_log2; }
  std::int64_t blocks() const noexcept { return (args.size + width() - 1) / width(); }
};

}  // namespace crossdock::cuda
