#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "aligned.h"
#include "kernels/scan_args.h"
#include "launcher.h"
#include "launchers.h"
#include "nest_dims.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

// Wrapping does not look at the sign.
Dtype unsigned_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::int8:
      return Dtype::uint8;
    case Dtype::int16:
      return Dtype::uint16;
    case Dtype::int32:
      return Dtype::uint32;
    case Dtype::int64:
      return Dtype::uint64;
    default:
      return dtype;
  }
}

bool takes(Dtype dtype) { return is_integer(dtype) || is_floating(dtype); }

int number_of(Op op, Dtype dtype, bool same) {
  return (static_cast<int>(same ? unsigned_of(dtype) : dtype) * 2 + (op == Op::cumulative_prod)) * 2 + same;
}

std::string expression(int number) {
  const bool same = number % 2 != 0;
  const auto dtype = static_cast<Dtype>(number / 4);
  if (!takes(dtype) || (same && unsigned_of(dtype) != dtype)) return "";
  return std::string("scan<") + (number / 2 % 2 ? "Times, " : "Plus, ") + storage_type(dtype) +
         (same ? ", true>" : ", false>");
}

KernelFamily family("scan.cuh", kDtypeCount * 4, expression);

// Products of floating-point numbers carry a mark of 8 bytes.
std::int64_t accumulator_nbytes(Op op, Dtype dtype) {
  const std::int64_t mark = op == Op::cumulative_prod && is_floating(dtype) ? 8 : 0;
  return mark + (is_complex(dtype) ? 16 : is_floating(dtype) || itemsize(dtype) == 8 ? 8 : 4);
}

ScanArgs arguments(const Launch& launch) {
  const int axis = launch.shape.size() - 1;
  const Nest lines(launch, 0, axis, 0, 2);
  ScanArgs args{};
  args.size = lines.size;
  args.length = launch.shape[axis];
  if (args.size == 0 || args.length == 0) return args;
  args.input = reinterpret_cast<const unsigned char*>(lines.pointers[0]);
  args.output = reinterpret_cast<unsigned char*>(lines.pointers[1]);
  args.input_stride = stride(launch.operands[0], axis);
  args.output_stride = stride(launch.operands[1], axis);
  args.input_dtype = static_cast<int>(launch.operands[0].dtype);
  args.lines = nest_dims<2>(lines, {0, 1});
  const bool neighbours = std::abs(args.lines.strides[1][args.lines.ndim - 1]) < std::abs(args.output_stride);
  const bool short_lines = args.length <= 32 || (args.length <= 256 && args.size >= 8192);
  args.across = args.size > 1 && (neighbours || short_lines);
  return args;
}

// Lines of a block where threads have lines of their own.
int lines_log2(std::int64_t size) {
  constexpr int kLeast = 5, kMost = 8;
  return std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))), kLeast, kMost);
}

// Parts enough for the whole device, of a length that is worth a second look at all elements.
Grid cut(ScanArgs& args, int multiprocessors) {
  args.width_log2 = lines_log2(args.size);
  const std::int64_t width = args.across ? std::int64_t{1} << args.width_log2 : 1;
  const std::int64_t blocks = (args.size + width - 1) / width, rows = args.across ? kScanThreads / width : 1;
  const std::int64_t least = args.across ? 64 : 16 * kScanThreads;
  const std::int64_t most_parts = args.across ? 256 : 4096;
  const std::int64_t wanted = std::int64_t{multiprocessors} * 4 * rows / blocks;
  const std::int64_t parts =
      std::clamp<std::int64_t>(wanted, 1, std::clamp<std::int64_t>(args.length / least, 1, most_parts));
  args.part = (args.length + parts - 1) / parts;
  args.parts = (args.length + args.part - 1) / args.part;
  constexpr std::int64_t kMaxBlocks = 1 << 20;
  return {.x = static_cast<unsigned>(std::min(blocks, kMaxBlocks)),
          .y = static_cast<unsigned>((args.parts + rows - 1) / rows),
          .threads = kScanThreads};
}

void scan(const Launch& launch) {
  const Launcher launcher(launch);
  ScanArgs args = arguments(launch);
  if (args.size == 0 || args.length == 0) return;
  const Grid grid = cut(args, launcher.multiprocessors());
  const bool same = unsigned_of(launch.operands[0].dtype) == unsigned_of(launch.dtype);
  const int number = number_of(launch.op, launch.dtype, same);
  if (args.parts == 1) return launcher.run(family, number, grid, args);
  const Scratch totals(launcher,
                       static_cast<std::size_t>(args.size * args.parts * accumulator_nbytes(launch.op, launch.dtype)));
  args.totals = reinterpret_cast<unsigned char*>(totals.data());
  args.adding_up = true;
  launcher.run(family, number, grid, args);
  args.adding_up = false;
  launcher.run(family, number, grid, args);
}

}  // namespace

void register_scans(KernelTable& table) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (!takes(dtype)) continue;
    for (const Op op : {Op::cumulative_sum, Op::cumulative_prod}) table.set(op, dtype, aligned<scan>);
  }
}

}  // namespace crossdock::cuda
