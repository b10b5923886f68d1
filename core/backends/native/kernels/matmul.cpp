#include "matmul.h"

#include <memory>

#include "blas.h"
#include "blas_turn.h"
#include "copy.h"
#include "dot.h"
#include "gemm.h"

namespace crossdock::native {

namespace {

// An operand copied together: contiguous but for dimensions of stride 0, which stay so.
class Gathered {
 public:
  Gathered(const Operand& operand, const Dims& shape) : operand_(operand) {
    operand_.strides.resize(shape.size());
    std::int64_t nbytes = itemsize(operand.dtype);
    for (int dim = shape.size() - 1; dim >= 0; --dim) {
      const bool repeats = dim < shape.size() - 2 && stride(operand, dim) == 0;
      operand_.strides[dim] = repeats ? 0 : nbytes;
      shape_.push_back(repeats ? 1 : shape[dim]);
      nbytes *= shape_.back();
    }
    std::reverse(shape_.begin(), shape_.end());
    memory_.reset(new std::byte[static_cast<std::size_t>(nbytes)]);
    operand_.data = memory_.get();
  }
  const Operand& operand() const noexcept { return operand_; }
  void read(const Operand& source) const { move(source, operand_); }
  void write(const Operand& target) const { move(operand_, target); }

 private:
  void move(const Operand& from, const Operand& to) const {
    Launch launch;
    launch.op = Op::copy;
    launch.dtype = from.dtype;
    launch.shape = shape_;
    launch.noperands = 2;
    launch.operands[0] = from;
    launch.operands[1] = to;
    copy(launch);
  }

  Operand operand_;
  Dims shape_;
  std::unique_ptr<std::byte[]> memory_;
};

bool fits_blas(const MatrixProduct& products) noexcept {
  constexpr std::int64_t kMax = 0x7fffffff;
  return products.m() <= kMax && products.n() <= kMax && products.k() <= kMax;
}

// Products of which each is cut along the longer side of its output into enough pieces for all threads.
void run_blas(const Blas& blas, const MatrixProduct& products, Dtype dtype) {
  const bool by_rows = products.m() >= products.n();
  const std::int64_t longer = by_rows ? products.m() : products.n();
  const std::int64_t work = products.m() * products.n() * products.k();
  constexpr std::int64_t kTask = 256 * 1024;  // multiplications worth a thread's while
  const std::int64_t threads = products.batch() >= 4 * num_threads() ? 1 : num_threads();
  const std::int64_t pieces = std::max<std::int64_t>(1, std::min(threads, std::min(work / kTask, longer / 16)));
  const std::int64_t size = ((longer + pieces - 1) / pieces + 15) / 16 * 16;
  const std::int64_t cuts = (longer + size - 1) / size;
  parallel_for(products.batch() * cuts, 1 + kTask / std::max<std::int64_t>(1, work / cuts),
               [&](std::int64_t begin, std::int64_t end) {
                 const BlasTurn turn;
                 for (std::int64_t task = begin; task < end; ++task) {
                   const auto [a, b, c] = products.at(task / cuts);
                   const std::int64_t first = task % cuts * size, count = std::min(size, longer - first);
                   if (by_rows)
                     blas.multiply(dtype, {a.rows_from(first, count), b, c.rows_from(first, count)});
                   else
                     blas.multiply(dtype, {a, b.columns_from(first, count), c.columns_from(first, count)});
                 }
               });
}

Dims shape_of(const Launch& launch, int rows, int columns) {
  const int batch = launch.shape.size() - 3;
  Dims shape(launch.shape.data(), batch);
  shape.push_back(launch.shape[batch + rows]);
  shape.push_back(launch.shape[batch + columns]);
  return shape;
}

bool computes_by_blas(Dtype dtype) noexcept {
  return dtype == Dtype::float32 || dtype == Dtype::float64 || is_complex(dtype);
}

void matmul(const Launch& launch) {
  const MatrixProduct products(launch);
  if (products.batch() == 0 || products.m() == 0 || products.n() == 0) return;
  const bool narrow = launch.dtype == Dtype::float16 || launch.dtype == Dtype::bfloat16;
  if (products.m() == 1 && products.n() == 1 && !narrow) return dot(products, launch.dtype);
  const Blas* blas = computes_by_blas(launch.dtype) ? Blas::get() : nullptr;
  if (!blas || products.k() == 0 || !fits_blas(products)) return gemm(products, launch.dtype);
  const Product first = products.at(0);
  Launch taken = launch;
  const std::int64_t size = itemsize(launch.dtype);
  std::unique_ptr<Gathered> gathered[3];
  const Matrix matrices[] = {first.a, first.b, first.c};
  constexpr int kSides[][2] = {{0, 2}, {2, 1}, {0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    if (Blas::takes(matrices[i], size)) continue;
    gathered[i] = std::make_unique<Gathered>(launch.operands[i], shape_of(launch, kSides[i][0], kSides[i][1]));
    if (i < 2) gathered[i]->read(launch.operands[i]);
    taken.operands[i] = gathered[i]->operand();
  }
  run_blas(*blas, MatrixProduct(taken), launch.dtype);
  if (gathered[2]) gathered[2]->write(launch.operands[2]);
}

}  // namespace

void register_matmul(KernelTable& table) {
  for (int dtype = static_cast<int>(Dtype::int8); dtype <= static_cast<int>(Dtype::complex128); ++dtype) {
    table.set(Op::matmul, static_cast<Dtype>(dtype), matmul);
  }
}

}  // namespace crossdock::native
