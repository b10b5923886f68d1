// pack: runs of bytes, whose places travel in the kernels' arguments.
#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/pack_args.h"
#include "launcher.h"
#include "launchers.h"

namespace crossdock::cuda {

namespace {

std::string expression(int) { return "pack<4>"; }

KernelFamily family("pack.cuh", 1, expression);

// Blocks for each run: enough for the longest, and for the device when runs are few.
unsigned blocks_for(const Launcher& launcher, std::int64_t longest, std::size_t runs) {
  constexpr std::int64_t kBytes = 16 * 1024;  // four words of 16 bytes for each of 256 threads
  const auto most =
      std::max<std::int64_t>(1, std::int64_t{launcher.multiprocessors()} * 8 / static_cast<std::int64_t>(runs));
  return static_cast<unsigned>(std::clamp<std::int64_t>((longest + kBytes - 1) / kBytes, 1, most));
}

void pack(const Launch& launch) {
  const Launcher launcher(launch);
  const std::size_t runs = launch.table.size() / 3;
  for (std::size_t begin = 0; begin < runs; begin += PackArgs::kMost) {
    PackArgs args{};
    args.from = operand_of(launch, 0).data;
    args.to = operand_of(launch, 1).data;
    const std::size_t count = std::min<std::size_t>(PackArgs::kMost, runs - begin);
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t* numbers = launch.table.data() + 3 * (begin + i);
      args.runs[i] = {numbers[0], numbers[1], numbers[2]};
      longest = std::max(longest, numbers[1]);
    }
    Grid grid;
    grid.x = blocks_for(launcher, longest, count);
    grid.y = static_cast<unsigned>(count);
    if (longest > 0) launcher.run(family, 0, grid, args);
  }
}

}  // namespace

void register_pack(KernelTable& table) { table.set(Op::pack, Dtype::uint8, pack); }

}  // namespace crossdock::cuda
