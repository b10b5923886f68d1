#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "cublas.h"
#include "gemm.h"
#include "kernels.h"
#include "launcher.h"
#include "launchers.h"

namespace crossdock::cuda {

namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMaxCalls = 64;  // of cuBLAS for one product; the own kernel does any batch in one launch

// Two dimensions of an operand, in elements.
struct Matrix {
  std::int64_t rows, columns, row_stride, column_stride;
  Matrix transposed() const noexcept { return {columns, rows, column_stride, row_stride}; }
  // Elements from row to row where each row is contiguous; 0 where it is not.
  std::int64_t leading() const noexcept {
    if (columns > 1 && column_stride != 1) return 0;
    if (rows == 1) return std::max<std::int64_t>(columns, 1);
    return row_stride >= std::max<std::int64_t>(columns, 1) && row_stride <= kMaxInt ? row_stride : 0;
  }
  bool is_taken() const noexcept { return leading() > 0 || transposed().leading() > 0; }
};

std::array<Matrix, 3> matrices_of(const Launch& launch) {
  constexpr int kSides[][2] = {{0, 2}, {2, 1}, {0, 1}};
  const int batch = launch.shape.size() - 3;
  std::array<Matrix, 3> matrices;
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand& operand = launch.operands[i];
    const std::int64_t size = itemsize(operand.dtype);
    matrices[i] = {launch.shape[batch + kSides[i][0]], launch.shape[batch + kSides[i][1]],
                   stride(operand, batch) / size, stride(operand, batch + 1) / size};
  }
  return matrices;
}

// Whether all elements lie on multiples of `unit` bytes.
bool is_aligned(const Operand& operand, std::int64_t unit) {
  auto all = reinterpret_cast<std::uintptr_t>(operand.data);
  for (const std::int64_t step : operand.strides) all |= static_cast<std::uintptr_t>(step);
  return all % static_cast<std::uintptr_t>(unit) == 0;
}

// An input copied together, but for batch dimensions that repeat it, which stay so.
class Gathered {
 public:
  Gathered(const Launcher& launcher, const Operand& source, const Matrix& matrix) {
    const Launch& launch = launcher.launch();
    const int batch = launch.shape.size() - 3;
    Launch copy;
    copy.op = Op::copy;
    copy.dtype = source.dtype;
    copy.noperands = 2;
    copy.stream = launch.stream;
    for (int dim = 0; dim < batch; ++dim) copy.shape.push_back(source.strides[dim] == 0 ? 1 : launch.shape[dim]);
    copy.shape.push_back(matrix.rows);
    copy.shape.push_back(matrix.columns);
    Dims strides(batch + 2);
    std::int64_t nbytes = itemsize(source.dtype);
    for (int dim = batch + 1; dim >= 0; --dim) {
      strides[dim] = dim < batch && source.strides[dim] == 0 ? 0 : nbytes;
      nbytes *= copy.shape[dim];
    }
    memory_.emplace(launcher, static_cast<std::size_t>(nbytes));
    operand_ = {.data = memory_->data(), .dtype = source.dtype, .strides = strides};
    copy.operands[0] = source;
    copy.operands[1] = operand_;
    kernels().find(Op::copy, source.dtype)(copy);
  }
  const Operand& operand() const noexcept { return operand_; }

 private:
  std::optional<Scratch> memory_;
  Operand operand_;
};

// Row after row is column after column of the transposed matrix, and c.T = b.T @ a.T.
CublasMatrix cublas_matrix(const Matrix& matrix, const std::byte* data, std::int64_t step) {
  const bool transposed = matrix.leading() == 0;
  return {data, transposed, static_cast<int>(transposed ? matrix.transposed().leading() : matrix.leading()), step};
}

bool run_cublas(const Cublas& cublas, const Launch& launch) {
  std::array<Matrix, 3> matrices = matrices_of(launch);
  const Nest batch(launch, 0, launch.shape.size() - 3, 0, 3);
  const int inner = batch.ndim - 1;
  const std::int64_t size = itemsize(launch.dtype), count = batch.shape[inner], calls = batch.size / count;
  if (calls > kMaxCalls || count > kMaxInt) return false;
  for (int i = 0; i < 3; ++i) {
    if (batch.strides[inner][i] < 0) return false;
  }
  std::array<int, 3> order{0, 1, 2};
  if (matrices[2].leading() == 0) {  // c lies column after column
    for (Matrix& matrix : matrices) matrix = matrix.transposed();
    std::swap(order[0], order[1]);
  }
  const Matrix &a = matrices[static_cast<std::size_t>(order[0])], &b = matrices[static_cast<std::size_t>(order[1])],
               &c = matrices[2];
  auto& device = static_cast<CudaDevice&>(launch.stream->device());
  auto& stream = static_cast<CudaStream&>(*launch.stream);
  for (std::int64_t call = 0; call < calls; ++call) {
    const Odometer at(batch, call * count);
    const auto taken = [&](const Matrix& matrix, int i) {
      return cublas_matrix(matrix, at.pointers()[i], batch.strides[inner][i] / size);
    };
    const CublasProduct product{static_cast<int>(c.columns),
                                static_cast<int>(c.rows),
                                static_cast<int>(a.columns),
                                static_cast<int>(count),
                                taken(b, order[1]),
                                taken(a, order[0]),
                                taken(c, 2)};
    if (!cublas.multiply(device, stream, launch.dtype, product)) return false;
  }
  return true;
}

void matmul(const Launch& launch) {
  const std::array<Matrix, 3> matrices = matrices_of(launch);
  const std::int64_t size = itemsize(launch.dtype);
  bool fits = Cublas::takes(launch.dtype) && is_aligned(launch.output(), size) && matrices[2].is_taken(), empty = false;
  for (const std::int64_t extent : launch.shape) {
    fits &= extent > 0 && extent <= kMaxInt;
    empty |= extent == 0;
  }
  if (empty) return gemm(launch);
  const Cublas* cublas = fits ? Cublas::get() : nullptr;
  const Launcher launcher(launch);
  Launch taken = launch;
  std::unique_ptr<Gathered> gathered[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Operand& operand = launch.operands[i];
    if (cublas ? matrices[i].is_taken() && is_aligned(operand, size)
               : is_aligned(operand, std::min<std::int64_t>(size, 8)))
      continue;
    gathered[i] = std::make_unique<Gathered>(launcher, operand, matrices[i]);
    taken.operands[i] = gathered[i]->operand();
  }
  if (!cublas || !run_cublas(*cublas, taken)) gemm(taken);
}

}  // namespace

void register_matmul(KernelTable& table) {
  for (int number = static_cast<int>(Dtype::int8); number <= static_cast<int>(Dtype::complex128); ++number) {
    table.set(Op::matmul, static_cast<Dtype>(number), matmul);
  }
}

}  // namespace crossdock::cuda
