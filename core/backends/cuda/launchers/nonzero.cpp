#include <cstdint>
#include <string>

#include "../kernels/nonzero_args.h"
#include "../launcher.h"
#include "launchers.h"

namespace crossdock::cuda {
namespace {

constexpr const char* kSteps[] = {"count", "scan", "number"};

KernelFamily family("nonzero.cuh", 3,
                    [](int number) { return std::string("nonzero<NonzeroStep::") + kSteps[number] + ">"; });

NonzeroArgs args_of(const Launch& launch) {
  // The second operand has no data: its strides are the numbers' steps, walked from an address that stands for 0.
  Launch numbered = launch;
  std::byte zero{};
  numbered.operands[1].data = &zero;
  const Nest nest(numbered, 0, launch.shape.size(), 0, 2, true);
  NonzeroArgs args{};
  args.mask = reinterpret_cast<const unsigned char*>(launch.operands[0].data);
  args.size = nest.size;
  args.room = launch.integers[0];
  args.out = reinterpret_cast<std::int64_t*>(launch.output().data);
  args.ndim = nest.ndim;
  for (int dim = 0; dim < nest.ndim; ++dim) {
    args.shape[dim] = nest.shape[dim];
    for (int i = 0; i < 2; ++i) args.strides[i][dim] = nest.strides[dim][i];
  }
  const Nest mask(launch, 0, launch.shape.size(), 0, 1, true);
  args.flat = nest.size != 0 && mask.ndim == 1 && mask.strides[0][0] == 1 &&
              reinterpret_cast<std::uintptr_t>(args.mask) % 16 == 0;
  return args;
}

void launch_nonzero(const Launch& launch) {
  NonzeroArgs args = args_of(launch);
  if (args.size == 0 || args.room == 0) return;
  constexpr std::int64_t kTile = kNonzeroThreads * kNonzeroPerThread;
  const Launcher launcher(launch);
  args.tiles = (args.size + kTile - 1) / kTile;
  const Scratch counts(launcher, static_cast<std::size_t>(args.tiles + 1) * sizeof(std::int64_t));
  args.counts = reinterpret_cast<std::int64_t*>(counts.data());
  const Grid tiles{.x = static_cast<unsigned>(args.tiles), .threads = kNonzeroThreads};
  const Grid one{.threads = args.tiles > kNonzeroThreads ? 1024u : kNonzeroThreads};
  const auto run = [&](NonzeroStep step, const Grid& grid) {
    launcher.run(family, static_cast<int>(step), grid, args);
  };
  run(NonzeroStep::count, tiles);
  run(NonzeroStep::scan, one);
  run(NonzeroStep::number, tiles);
}

}  // namespace

void register_nonzero(KernelTable& table) { table.set(Op::nonzero, Dtype::bool_, launch_nonzero); }

}  // namespace crossdock::cuda
