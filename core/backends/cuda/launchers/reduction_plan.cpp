#include "reduction_plan.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "nest_dims.h"

namespace crossdock::cuda {

namespace {

constexpr std::int64_t kTogether = 4;  // loads of a thread that are in flight
constexpr std::int64_t kLongRun = 32;  // elements that are worth loads of 16 bytes
constexpr std::int64_t kMaxBlocks = 1 << 20;

int log2_up(std::int64_t n) { return n <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(n - 1)); }

unsigned char* bytes(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

}  // namespace

ReductionPlan::ReductionPlan(const Launch& launch, bool ordered, int multiprocessors) {
  const int kept_ndim = launch.shape.size() - launch.reduced, output = launch.noperands - 1;
  const Nest reduced(launch, kept_ndim, launch.shape.size(), 0, 1, ordered);
  const Nest kept(launch, 0, kept_ndim, 0, launch.noperands);
  args.size = kept.size;
  if (empty()) return;
  args.length = args.count = reduced.size;
  args.reduced = nest_dims<1>(reduced, {0});
  args.kept = nest_dims<3>(kept, {0, output == 2 ? 1 : 0, output});
  args.input = bytes(kept.pointers[0]);
  if (reduced.size > 0)
    args.input += reduced.pointers[0] - pointer(launch.operands[0]);  // where turned dimensions begin
  args.centres = output == 2 ? bytes(kept.pointers[1]) : nullptr;
  args.output = bytes(kept.pointers[output]);
  args.output_size = itemsize(launch.output().dtype);
  args.output_bfloat16 = launch.output().dtype == Dtype::bfloat16;
  const int inner = args.kept.ndim - 1, last = args.reduced.ndim - 1;
  const std::int64_t size = itemsize(launch.operands[0].dtype), step = args.reduced.strides[0][last];
  args.across = args.size > 1 && (args.length <= 1 || std::abs(step) > std::abs(args.kept.strides[0][inner]));
  args.runs = !args.across && step == size && args.reduced.shape[last] >= kLongRun;
  choose_threads(size, std::int64_t{multiprocessors} * 1024);
  cut(size, std::int64_t{multiprocessors} * 4);
}

// As few threads for a result as keep their loads in flight; more where there are few results.
void ReductionPlan::choose_threads(std::int64_t itemsize, std::int64_t wanted_threads) {
  constexpr int kLog2 = 8;
  static_assert(1 << kLog2 == kReductionThreads);
  const std::int64_t load = args.runs ? std::max<std::int64_t>(1, 16 / itemsize) : 1;
  const std::int64_t run = args.runs ? args.reduced.shape[args.reduced.ndim - 1] : args.length;
  int lanes = std::min(kLog2, log2_up(run / (load * kTogether)));
  const int most = std::min(kLog2, log2_up(run / load));
  while (lanes < most && (args.size << lanes) < wanted_threads) ++lanes;
  if (args.across) {  // at least a line of 32 neighbours, where there are so many
    const int neighbours = std::min(kLog2, std::max(log2_up(32 / itemsize), std::min(5, log2_up(args.size))));
    lanes = std::min(lanes, kLog2 - neighbours);
  }
  args.lanes_log2 = lanes;
}

void ReductionPlan::cut(std::int64_t itemsize, std::int64_t wanted_blocks) {
  const std::int64_t turn =
      (std::int64_t{kTogether} << args.lanes_log2) * (args.runs ? std::max<std::int64_t>(1, 16 / itemsize) : 1);
  parts = std::clamp<std::int64_t>(wanted_blocks / blocks(), 1, std::max<std::int64_t>(1, args.length / (2 * turn)));
  parts = std::min<std::int64_t>(parts, 0xffff);
  args.part = (args.length + parts - 1) / parts;
  if (parts > 1) args.part = (args.part + turn - 1) / turn * turn;
  parts = args.part == 0 ? 1 : (args.length + args.part - 1) / args.part;
}

Grid ReductionPlan::grid() const noexcept {
  return {.x = static_cast<unsigned>(std::min(blocks(), kMaxBlocks)),
          .y = static_cast<unsigned>(parts),
          .threads = kReductionThreads};
}

ReductionPlan ReductionPlan::merging(unsigned char* partial, std::int64_t nbytes) const {
  ReductionPlan plan;
  plan.args = args;
  plan.args.input = partial;
  plan.args.centres = nullptr;
  plan.args.partial = nullptr;
  plan.args.length = plan.args.part = parts;
  plan.args.across = args.size > 1;
  plan.args.runs = false;
  plan.args.lanes_log2 = std::min(8 - std::min(5, log2_up(args.size)), log2_up(parts));
  plan.args.reduced.ndim = 1;
  plan.args.reduced.shape[0] = parts;
  plan.args.reduced.strides[0][0] = args.size * nbytes;
  std::int64_t stride = nbytes;
  for (int dim = args.kept.ndim - 1; dim >= 0; --dim) {
    plan.args.kept.strides[0][dim] = stride;
    stride *= args.kept.shape[dim];
  }
  return plan;
}

}  // namespace crossdock::cuda
