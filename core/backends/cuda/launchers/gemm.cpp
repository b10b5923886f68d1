#include "gemm.h"

#include <algorithm>
#include <string>

#include "kernels.h"
#include "kernels/gemm_args.h"
#include "launcher.h"
#include "nest_dims.h"
#include "type_names.h"

namespace crossdock::cuda {

namespace {

// Integers wrap alike with and without a sign.
Dtype served_by(Dtype dtype) {
  if (is_floating(dtype)) return dtype;
  switch (itemsize(dtype)) {
    case 1:
      return Dtype::uint8;
    case 2:
      return Dtype::uint16;
    case 4:
      return Dtype::uint32;
    default:
      return Dtype::uint64;
  }
}

// What products are added up in.
Dtype sum_dtype(Dtype dtype) {
  if (is_floating(dtype)) return itemsize(dtype) == 2 ? Dtype::float32 : dtype;
  return itemsize(dtype) == 8 ? Dtype::uint64 : Dtype::uint32;
}

std::string expression(int number) {
  const auto dtype = static_cast<Dtype>(number);
  if ((!is_integer(dtype) && !is_floating(dtype)) || served_by(dtype) != dtype) return "";
  return std::string("gemm<") + storage_type(dtype) + ">";
}

KernelFamily family("gemm.cuh", kDtypeCount, expression);

MatrixStrides matrix_strides(const Operand& operand, int batch_ndim) {
  return {stride(operand, batch_ndim), stride(operand, batch_ndim + 1)};
}

GemmArgs arguments(const Launch& launch) {
  const int batch_ndim = launch.shape.size() - 3;
  const Nest batch(launch, 0, batch_ndim, 0, 3, true);  // in the order of what parts leave
  GemmArgs args{};
  args.products = batch.size;
  args.m = launch.shape[batch_ndim];
  args.n = launch.shape[batch_ndim + 1];
  args.k = args.part = launch.shape[batch_ndim + 2];
  if (batch.size == 0) return args;
  args.a = reinterpret_cast<const unsigned char*>(batch.pointers[0]);
  args.b = reinterpret_cast<const unsigned char*>(batch.pointers[1]);
  args.c = reinterpret_cast<unsigned char*>(batch.pointers[2]);
  args.a_strides = matrix_strides(launch.operands[0], batch_ndim);
  args.b_strides = matrix_strides(launch.operands[1], batch_ndim);
  args.c_strides = matrix_strides(launch.operands[2], batch_ndim);
  args.batch = nest_dims<3>(batch, {0, 1, 2});
  return args;
}

// Adds up what the parts have left in `partial`.
void add_parts(const Launch& launch, std::byte* partial, std::int64_t parts, Dtype dtype) {
  const int ndim = launch.shape.size() - 1;
  Launch sum;
  sum.op = Op::sum;
  sum.dtype = dtype;
  sum.shape = launch.shape;
  sum.shape[ndim] = parts;
  sum.noperands = 2;
  sum.reduced = 1;
  sum.stream = launch.stream;
  Dims strides(ndim + 1);
  std::int64_t nbytes = itemsize(dtype);
  for (int dim = ndim - 1; dim >= 0; --dim) {
    strides[dim] = nbytes;
    nbytes *= launch.shape[dim];
  }
  strides[ndim] = nbytes;
  sum.operands[0] = {.data = partial, .dtype = dtype, .strides = strides};
  sum.operands[1] = launch.output();
  sum.operands[1].strides.push_back(0);
  kernels().find(Op::sum, dtype)(sum);
}

}  // namespace

void gemm(const Launch& launch) {
  const Launcher launcher(launch);
  GemmArgs args = arguments(launch);
  const std::int64_t size = args.products * args.m * args.n;
  if (size == 0) return;
  const std::int64_t tiles = (args.m + kGemmSide - 1) / kGemmSide * ((args.n + kGemmSide - 1) / kGemmSide);
  const std::int64_t blocks = std::min<std::int64_t>(tiles * args.products, 1 << 20);
  constexpr std::int64_t kLeastPart = 512;  // of k, worth a sum of its own
  const std::int64_t wanted = 2 * std::int64_t{launcher.multiprocessors()} / blocks;
  std::int64_t parts = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, args.k / kLeastPart));
  args.part = std::max<std::int64_t>(1, (args.k + parts - 1) / parts);
  parts = std::max<std::int64_t>(1, (args.k + args.part - 1) / args.part);
  const int number = static_cast<int>(served_by(launch.dtype));
  const Grid grid{.x = static_cast<unsigned>(blocks), .z = static_cast<unsigned>(parts), .threads = kGemmThreads};
  if (parts == 1) return launcher.run(family, number, grid, args);
  const Dtype dtype = sum_dtype(launch.dtype);
  const Scratch partial(launcher, static_cast<std::size_t>(parts * size * itemsize(dtype)));
  args.partial = reinterpret_cast<unsigned char*>(partial.data());
  launcher.run(family, number, grid, args);
  add_parts(launch, partial.data(), parts, dtype);
}

}  // namespace crossdock::cuda
