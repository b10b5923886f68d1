#include <string>

#include "launchers.h"
#include "parts.h"
#include "stack.h"

namespace crossdock::cuda {
namespace {

std::string instance(const char* kernel, int number, const char* rest = "") {
  return std::string(kernel) + "<" + type_of_field(number % kFields) + rest + ">";
}

KernelFamily choleskys("cholesky.cuh", kFields, [](int number) { return instance("cholesky", number); });
KernelFamily lus("lu.cuh", 3 * kFields, [](int number) {
  if (number < kFields) return instance("lu", number);
  return instance("solve", number, number < 2 * kFields ? ", false" : ", true");
});
KernelFamily qrs("qr.cuh", kFields, [](int number) { return instance("qr", number); });
KernelFamily eighs("eigh.cuh", 2 * kFields,
                   [](int number) { return instance("eigh", number, number < kFields ? ", false" : ", true"); });
KernelFamily svds("svd.cuh", 2 * kFields,
                  [](int number) { return instance("svd", number, number < kFields ? ", false" : ", true"); });

std::int64_t size_of(const Launch& launch) noexcept { return itemsize(launch.dtype); }

void cholesky(const Launch& launch) {
  const Stack stack(launch);
  const std::int64_t n = stack.rows();
  stack.run(choleskys, 0, Stack::room(n, n, size_of(launch)));
}

void lu(const Launch& launch) {
  const Stack stack(launch, 0b0100, 0b1000);
  const std::int64_t m = stack.rows(), n = stack.columns();
  stack.run(lus, 0, Stack::room(m, n, size_of(launch)) + Stack::room(stack.least(), 1, sizeof(int)));
}

void solve(const Launch& launch) {
  const Stack stack(launch);
  const std::int64_t n = stack.rows(), columns = stack.columns(), size = size_of(launch);
  const std::int64_t work = Stack::room(n, n, size) + Stack::room(n, columns, size) + Stack::room(n, 1, sizeof(int));
  stack.run(lus, launch.op == Op::inv ? 2 * kFields : kFields, work);
}

void qr(const Launch& launch) {
  const Stack stack(launch);
  const std::int64_t m = stack.rows(), n = stack.columns(), k = stack.least(), size = size_of(launch);
  const std::int64_t work =
      Stack::room(m, n, size) + Stack::room(m, launch.integers[0] != 0 ? m : k, size) + Stack::room(k, 1, size);
  stack.run(qrs, 0, work);
}

void eigh(const Launch& launch) {
  const Stack stack(launch, 0b010);
  const bool vectors = launch.op == Op::eigh;
  const std::int64_t n = stack.rows(), size = size_of(launch), real = itemsize(real_part(launch.dtype));
  const std::int64_t rotations = Stack::room((n + 1) / 2, 1, size + 2 * real);
  const std::int64_t matrices = Stack::room(n, n, size) + (vectors ? Stack::room(n, n, size) : 0);
  stack.run(eighs, vectors ? kFields : 0,
            matrices + rotations + Stack::room(n, 1, real) + Stack::room(n, 1, sizeof(int)));
}

void svd(const Launch& launch) {
  const bool vectors = launch.op == Op::svd;
  const Stack stack(launch, vectors ? 0b0100 : 0b0010);
  const std::int64_t narrow = stack.least(), tall = stack.rows() + stack.columns() - narrow;
  const std::int64_t width = launch.integers[0] != 0 ? tall : narrow;
  const std::int64_t size = size_of(launch), real = itemsize(real_part(launch.dtype));
  std::int64_t work = Stack::room(tall, narrow, size) + Stack::room(narrow, 1, size) + Stack::room(narrow, 1, real) +
                      Stack::room(narrow, 1, sizeof(int));
  if (vectors) work += Stack::room(narrow, narrow, size) + Stack::room(tall, width, size);
  stack.run(svds, vectors ? kFields : 0, work);
}

template <Kernel kernel>
void in_parts(const Launch& launch) {
  for_parts(launch, 2, kernel);
}

}  // namespace

void register_linalg(KernelTable& table) {
  constexpr std::pair<Op, Kernel> kKernels[] = {
      {Op::cholesky, in_parts<cholesky>}, {Op::lu, in_parts<lu>},   {Op::solve, in_parts<solve>},
      {Op::inv, in_parts<solve>},         {Op::qr, in_parts<qr>},   {Op::eigh, in_parts<eigh>},
      {Op::eigvalsh, in_parts<eigh>},     {Op::svd, in_parts<svd>}, {Op::svdvals, in_parts<svd>}};
  for (const auto& [op, kernel] : kKernels) {
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128})
      table.set(op, dtype, kernel);
  }
}

}  // namespace crossdock::cuda
