#include <string>

#include "launchers.h"
#include "places.h"

namespace crossdock::cuda {
namespace {

KernelFamily gathers("gather.cuh", kWidths,
                     [](int number) { return std::string("gather<") + type_of_width(number) + ">"; });
KernelFamily offsets("index_offsets.cuh", 1, [](int) { return std::string("index_offsets"); });

void launch_gather(const Launch& launch) {
  constexpr int kAtOnce = 4;
  const Launcher launcher(launch);
  const Moves moves(launch);
  const Places places = places_of(launch, 1, launch.integers[3] != 0);
  for_nest<3>(launcher, moves.nest, [&](const NestArgs<3>& nest) {
    launcher.run(gathers, number_of_width(moves.width), launcher.grid(nest.size, kAtOnce), GatherArgs{nest, places});
  });
}

void launch_index_offsets(const Launch& launch) {
  const Launcher launcher(launch);
  const Places places = places_of(launch, 0, true);
  for_nest<3>(launcher, Nest(launch), [&](const NestArgs<3>& nest) {
    launcher.run(offsets, 0, launcher.grid(nest.size), GatherArgs{nest, places});
  });
}

}  // namespace

void register_gather(KernelTable& table) {
  for (int i = 0; i < kDtypeCount; ++i) table.set(Op::gather, static_cast<Dtype>(i), launch_gather);
  for (const Dtype dtype : {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8, Dtype::uint16,
                            Dtype::uint32, Dtype::uint64})
    table.set(Op::index_offsets, dtype, launch_index_offsets);
}

}  // namespace crossdock::cuda
