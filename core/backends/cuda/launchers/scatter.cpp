#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>

#include "launchers.h"
#include "places.h"

namespace crossdock::cuda {
namespace {

KernelFamily scatters("scatter.cuh", kWidths,
                      [](int number) { return std::string("scatter<") + type_of_width(number) + ">"; });
KernelFamily claims("claim.cuh", 2,
                    [](int number) { return std::string(number == 0 ? "claim<false>" : "claim<true>"); });

bool is_free(const Launch& launch, int dim) noexcept {
  return stride(launch.operands[1], dim) == 0 && stride(launch.operands[2], dim) != 0;
}

Operand without_strides(std::byte* data, Dtype dtype) noexcept {
  Operand operand;
  operand.data = data;
  operand.dtype = dtype;
  return operand;
}

// The dimensions along which a place may come again: places, the target, int64 numbers in C order at `offsets`.
// Elements of different places along the others never meet.
Launch repeating_part(const Launch& launch, std::byte* offsets) {
  Launch part;
  part.op = launch.op;
  part.stream = launch.stream;
  part.noperands = 3;
  part.operands[0] = without_strides(launch.operands[1].data, launch.operands[1].dtype);
  part.operands[1] = without_strides(launch.operands[2].data, launch.operands[2].dtype);
  part.operands[2] = without_strides(offsets, Dtype::int64);
  for (int dim = 0; dim < launch.shape.size(); ++dim) {
    if (is_free(launch, dim)) continue;
    part.shape.push_back(launch.shape[dim]);
    part.operands[0].strides.push_back(stride(launch.operands[1], dim));
    part.operands[1].strides.push_back(stride(launch.operands[2], dim));
    part.operands[2].strides.push_back(0);
  }
  std::int64_t step = sizeof(std::int64_t);
  for (int dim = part.shape.size() - 1; dim >= 0; --dim) {
    part.operands[2].strides[dim] = step;
    step *= part.shape[dim];
  }
  return part;
}

// The whole launch with those offsets as its places.
Launch settled(const Launch& launch, const Launch& part) {
  Launch out = launch;
  out.operands[1] = without_strides(part.operands[2].data, Dtype::int64);
  int repeating = 0;
  for (int dim = 0; dim < launch.shape.size(); ++dim)
    out.operands[1].strides.push_back(is_free(launch, dim) ? 0 : part.operands[2].strides[repeating++]);
  out.integers[3] = 0;
  return out;
}

// Places by number, before there is memory for their table.
Claims claims_for(const Launch& launch, const Launch& part, const Places& places, std::int64_t elements) {
  const bool indexed = places.kind != PlaceKind::offsets;
  const std::int64_t last = places.step * (places.extent - 1);
  std::int64_t low = indexed ? std::min<std::int64_t>(0, last) : places.low;
  std::int64_t high = indexed ? std::max<std::int64_t>(0, last) : places.high;
  std::int64_t grain = indexed ? std::abs(places.step) : 0;
  for (int dim = 0; dim < part.shape.size(); ++dim) {
    const std::int64_t step = part.operands[1].strides[dim], span = step * (part.shape[dim] - 1);
    (span < 0 ? low : high) += span;
    grain = std::gcd(grain, step);
  }
  const std::int64_t itemsize = crossdock::itemsize(launch.output().dtype);
  Claims out{};
  out.first = reinterpret_cast<const unsigned char*>(launch.output().data) + low;
  out.grain = indexed ? std::max(grain, itemsize) : itemsize;
  out.slots = (high - low) / out.grain + 1;
  const auto hashed = static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(elements)));
  if (out.slots > 4 * hashed) {
    out.slots = hashed;
    out.keys = reinterpret_cast<unsigned long long*>(1);  // wanted
  }
  return out;
}

void launch_scatter(const Launch& launch) {
  constexpr std::size_t kNumber = sizeof(std::int64_t);
  std::int64_t elements = 1;
  for (int dim = 0; dim < launch.shape.size(); ++dim) {
    if (launch.shape[dim] == 0) return;
    if (!is_free(launch, dim)) elements *= launch.shape[dim];
  }
  const Launcher launcher(launch);
  const Scratch offsets(launcher, static_cast<std::size_t>(elements) * kNumber);
  const Launch part = repeating_part(launch, offsets.data());
  ClaimArgs args{};
  args.places = places_of(launch, 1, launch.integers[3] != 0);
  args.claims = claims_for(launch, part, args.places, elements);
  args.offsets = reinterpret_cast<const std::int64_t*>(offsets.data());

  // The first number that is outside, the owners, and their keys: all ones to begin with.
  const auto slots = static_cast<std::size_t>(args.claims.slots);
  const std::size_t nbytes = (1 + slots * (args.claims.keys ? 2 : 1)) * kNumber;
  const Scratch table(launcher, nbytes);
  launcher.fill(table.data(), 0xff, nbytes);
  args.bad = reinterpret_cast<unsigned long long*>(table.data());
  args.claims.owners = reinterpret_cast<std::int64_t*>(table.data()) + 1;
  if (args.claims.keys) args.claims.keys = args.bad + 1 + slots;

  const Launcher claiming(part);
  const Nest repeating(part);
  for (const int settles : {0, 1}) {
    for_nest<3>(claiming, repeating, [&](const NestArgs<3>& nest) {
      args.nest = nest;
      launcher.run(claims, settles, launcher.grid(nest.size), args);
    });
  }
  const Launch writing = settled(launch, part);
  const Launcher writer(writing);
  const Moves moves(writing);
  for_nest<3>(writer, moves.nest, [&](const NestArgs<3>& nest) {
    launcher.run(scatters, number_of_width(moves.width), launcher.grid(nest.size), nest);
  });
}

}  // namespace

void register_scatter(KernelTable& table) {
  for (int i = 0; i < kDtypeCount; ++i) table.set(Op::scatter, static_cast<Dtype>(i), launch_scatter);
}

}  // namespace crossdock::cuda
