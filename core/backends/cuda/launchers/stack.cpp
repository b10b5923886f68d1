#include "stack.h"

#include <algorithm>
#include <limits>
#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock::cuda {
namespace {

constexpr std::int64_t kWork = 512 * 1024 * 1024;  // bytes, unless one matrix alone needs more
constexpr std::int64_t kBlocksEach = 4;            // of a multiprocessor

KernelFamily reports("linalg_report.cuh", 1, [](int) { return std::string("linalg_report"); });

int checked_extent(std::int64_t extent, Op op) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (extent <= kMost) return static_cast<int>(extent);
  throw DimensionError(std::string(name(op)) + ": a matrix has at most " + std::to_string(kMost) +
                       " rows and columns, not " + std::to_string(extent));
}

int field_number(Dtype dtype) noexcept { return static_cast<int>(dtype) - static_cast<int>(Dtype::float32); }

}  // namespace

Stack::Stack(const Launch& launch, unsigned vectors, unsigned scalars)
    : launch_(launch), ndim_(launch.shape.size() - 2), args_{} {
  const Nest stack(launch, 0, ndim_, 0, launch.noperands, true);
  args_.rows = checked_extent(launch.shape[ndim_], launch.op);
  args_.columns = checked_extent(launch.shape[ndim_ + 1], launch.op);
  args_.choice = static_cast<int>(launch.integers[0]);
  args_.count = stack.size;
  args_.ndim = stack.ndim;
  for (int i = 0; i < launch.noperands; ++i) {
    const Operand& operand = launch.operands[static_cast<std::size_t>(i)];
    MatrixOperand& matrix = args_.operands[i];
    matrix.data = reinterpret_cast<unsigned char*>(operand.data);
    if ((scalars >> i & 1) == 0) matrix.row_step = stride(operand, ndim_);
    if (((scalars | vectors) >> i & 1) == 0) matrix.column_step = stride(operand, ndim_ + 1);
  }
  if (stack.size == 0) return;
  for (int dim = 0; dim < stack.ndim; ++dim) {
    args_.shape[dim] = stack.shape[dim];
    for (int i = 0; i < launch.noperands; ++i) args_.strides[i][dim] = stack.strides[dim][i];
  }
}

void Stack::run(KernelFamily& family, int first, std::int64_t work) const {
  if (args_.count == 0) return;
  const Launcher launcher(launch_);
  const std::int64_t most = std::max<std::int64_t>(1, kWork / work);
  const std::int64_t blocks = std::min({args_.count, most, launcher.multiprocessors() * kBlocksEach});
  // Few for small matrices, where threads wait for each other most of the time.
  const std::int64_t m = rows(), n = columns(), elements = std::max({m, n, m * n / 16});
  const std::int64_t threads = (std::min<std::int64_t>(elements, kLinalgThreads) + 31) / 32 * 32;
  const Scratch memory(launcher, static_cast<std::size_t>(blocks * work));
  const Scratch failed(launcher, sizeof(unsigned long long));
  launcher.fill(failed.data(), 0xff, sizeof(unsigned long long));
  LinalgArgs args = args_;
  args.work = reinterpret_cast<unsigned char*>(memory.data());
  args.work_nbytes = work;
  args.failed = reinterpret_cast<unsigned long long*>(failed.data());
  const Grid grid{.x = static_cast<unsigned>(blocks), .threads = static_cast<unsigned>(threads)};
  launcher.run(family, first + field_number(launch_.dtype), grid, args);
  report(launcher, args.failed);
}

void Stack::report(const Launcher& launcher, const unsigned long long* failed) const {
  LinalgReportArgs args{};
  args.errors = launcher.errors();
  args.failed = failed;
  args.op = static_cast<int>(launch_.op);
  args.ndim = ndim_;
  const int kept = std::min(ndim_, 3);
  for (int dim = 0; dim < kept; ++dim) args.shape[dim] = launch_.shape[ndim_ - kept + dim];
  launcher.run(reports, 0, {.threads = 32}, args);
}

const char* type_of_field(int number) noexcept {
  constexpr const char* kTypes[kFields] = {"float", "double", "functors::Complex<float>", "functors::Complex<double>"};
  return kTypes[number];
}

}  // namespace crossdock::cuda
