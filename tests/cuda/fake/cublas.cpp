// The fake libcublas.so.13: products of matrices in the order of the handle's stream, over the fake device's memory.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "control.h"

namespace {

enum Status { ok = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15 };
enum Type { r32f = 0, r64f = 1, r16f = 2, c32f = 4, c64f = 5, r16bf = 14 };
enum PointerMode { host = 0, device = 1 };

struct Handle {
  int device;
  void* stream = nullptr;
  int pointer_mode = host, math_mode = 0;
};

struct BFloat16 {
  std::uint16_t bits;
  BFloat16(float value) {
    std::uint32_t all;
    std::memcpy(&all, &value, sizeof all);
    bits = value == value ? static_cast<std::uint16_t>((all + 0x7FFF + (all >> 16 & 1)) >> 16) : 0x7FC0;
  }
  operator float() const {
    const std::uint32_t all = static_cast<std::uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &all, sizeof value);
    return value;
  }
};

struct Matrix {
  const void* data;
  std::int64_t ld, stride;
  int op = 0;  // 0: as it is, 1: transposed, 2: and conjugated
};

struct Product {
  std::int64_t m, n, k, batch;
  Matrix a, b, c;
};

template <class T>
T conjugate(T x) {
  return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

// op(matrix) as rows * columns in a row, column after column.
template <class Acc, class T>
std::vector<Acc> unpack(const Matrix& matrix, std::int64_t item, std::int64_t rows, std::int64_t columns) {
  const T* data = static_cast<const T*>(matrix.data) + item * matrix.stride;
  std::vector<Acc> out(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      const Acc value(matrix.op ? data[j + i * matrix.ld] : data[i + j * matrix.ld]);
      out[i + j * rows] = matrix.op == 2 ? conjugate(value) : value;
    }
  return out;
}

template <class Acc, class T, class Out>
void multiply(const Product& p, Acc alpha, Acc beta) {
  std::vector<Acc> column(static_cast<std::size_t>(p.m));
  for (std::int64_t item = 0; item < p.batch; ++item) {
    const auto a = unpack<Acc, T>(p.a, item, p.m, p.k), b = unpack<Acc, T>(p.b, item, p.k, p.n);
    Out* c = static_cast<Out*>(const_cast<void*>(p.c.data)) + item * p.c.stride;
    for (std::int64_t j = 0; j < p.n; ++j) {
      std::fill(column.begin(), column.end(), Acc(0));
      for (std::int64_t l = 0; l < p.k; ++l)
        for (std::int64_t i = 0; i < p.m; ++i) column[i] += a[i + l * p.m] * b[l + j * p.k];
      for (std::int64_t i = 0; i < p.m; ++i) {
        Out& to = c[i + j * p.c.ld];
        // What is there may be anything when it counts for nothing.
        to = beta == Acc(0) ? Out(alpha * column[i]) : Out(alpha * column[i] + beta * Acc(to));
      }
    }
  }
}

template <class Acc, class T, class Out = T>
int enqueue(const Handle& handle, const Product& product, const void* alpha, const void* beta) {
  struct Job {
    Product product;
    const Acc *alpha, *beta;
    Acc here[2];
  };
  auto job = std::make_unique<Job>(Job{product, static_cast<const Acc*>(alpha), static_cast<const Acc*>(beta), {}});
  if (handle.pointer_mode == host) {
    job->here[0] = *job->alpha, job->here[1] = *job->beta;
    job->alpha = &job->here[0], job->beta = &job->here[1];
  }
  auto work = [](void* data) {
    std::unique_ptr<Job> own(static_cast<Job*>(data));
    multiply<Acc, T, Out>(own->product, *own->alpha, *own->beta);
    return 0;
  };
  if (fake_cuda_submit(handle.stream, work, job.get())) return execution_failed;
  job.release();
  return ok;
}

bool single(int compute) { return compute == 68 || compute == 69 || compute == 74 || compute == 75 || compute == 77; }
bool twice(int compute) { return compute == 70 || compute == 71; }

int choose(const Handle& handle, const Product& p, const void* alpha, const void* beta, int type, int out,
           int compute) {
  using Half = _Float16;
  if (single(compute) && type == out) {
    if (type == r32f) return enqueue<float, float>(handle, p, alpha, beta);
    if (type == r16f) return enqueue<float, Half>(handle, p, alpha, beta);
    if (type == r16bf) return enqueue<float, BFloat16>(handle, p, alpha, beta);
    if (type == c32f) return enqueue<std::complex<float>, std::complex<float>>(handle, p, alpha, beta);
  }
  if (single(compute) && out == r32f) {
    if (type == r16f) return enqueue<float, Half, float>(handle, p, alpha, beta);
    if (type == r16bf) return enqueue<float, BFloat16, float>(handle, p, alpha, beta);
  }
  if (twice(compute) && type == out) {
    if (type == r64f) return enqueue<double, double>(handle, p, alpha, beta);
    if (type == c64f) return enqueue<std::complex<double>, std::complex<double>>(handle, p, alpha, beta);
  }
  return not_supported;
}

bool fits(const Matrix& matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.op < 0 || matrix.op > 2) return false;
  return matrix.ld >= std::max<std::int64_t>(1, matrix.op ? columns : rows);
}

int gemm(void* handle, const Product& p, const void* alpha, const void* beta, int a_type, int b_type, int c_type,
         int compute) {
  if (!handle) return not_initialized;
  if (const int fault = fake_cuda_ordered_fault("cublas:gemm")) return fault;
  const Handle& own = *static_cast<Handle*>(handle);
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0 || !alpha || !beta) return invalid_value;
  if (!fits(p.a, p.m, p.k) || !fits(p.b, p.k, p.n) || !fits(p.c, p.m, p.n)) return invalid_value;
  if (a_type != b_type) return not_supported;
  if (fake_cuda_current_device() != own.device) return execution_failed;
  if (!p.m || !p.n || !p.batch) return ok;
  return choose(own, p, alpha, beta, a_type, c_type, compute);
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  if (!handle) return invalid_value;
  if (const int fault = fake_cuda_ordered_fault("cublasCreate_v2")) return fault;
  if (fake_cuda_current_device() < 0) return not_initialized;
  *handle = new Handle{fake_cuda_current_device()};
  return ok;
}

int cublasDestroy_v2(void* handle) {
  if (!handle) return not_initialized;
  delete static_cast<Handle*>(handle);
  return ok;
}

int cublasGetVersion_v2(void* handle, int* version) {
  if (!version) return invalid_value;
  if (!handle) return not_initialized;
  *version = 130000;
  return ok;
}

int cublasGetProperty(int property, int* value) {
  if (!value || property < 0 || property > 2) return invalid_value;
  *value = property == 0 ? 13 : 0;
  return ok;
}

int cublasSetStream_v2(void* handle, void* stream) {
  if (!handle) return not_initialized;
  static_cast<Handle*>(handle)->stream = stream;
  return ok;
}

int cublasGetStream_v2(void* handle, void** stream) {
  if (!handle) return not_initialized;
  *stream = static_cast<Handle*>(handle)->stream;
  return ok;
}

int cublasSetWorkspace_v2(void* handle, void*, std::size_t) { return handle ? ok : not_initialized; }
int cublasSetAtomicsMode(void* handle, int) { return handle ? ok : not_initialized; }

int cublasSetMathMode(void* handle, int mode) {
  if (!handle) return not_initialized;
  static_cast<Handle*>(handle)->math_mode = mode;
  return ok;
}

int cublasSetPointerMode_v2(void* handle, int mode) {
  if (!handle) return not_initialized;
  if (mode != host && mode != device) return invalid_value;
  static_cast<Handle*>(handle)->pointer_mode = mode;
  return ok;
}

const char* cublasGetStatusString(int status) {
  switch (status) {
    case ok:
      return "success";
    case not_initialized:
      return "the library was not initialized";
    case invalid_value:
      return "an unsupported value or parameter was passed to the function";
    case execution_failed:
      return "the function failed to launch on the GPU";
    case not_supported:
      return "the functionality requested is not supported";
    default:
      return "unknown status";
  }
}

#define FAKE_GEMM_EX(suffix, integer)                                                                                  \
  int cublasGemmEx##suffix(void* handle, int a_op, int b_op, integer m, integer n, integer k, const void* alpha,       \
                           const void* a, int a_type, integer lda, const void* b, int b_type, integer ldb,             \
                           const void* beta, void* c, int c_type, integer ldc, int compute, int) {                     \
    const Product product{m, n, k, 1, {a, lda, 0, a_op}, {b, ldb, 0, b_op}, {c, ldc, 0}};                              \
    return gemm(handle, product, alpha, beta, a_type, b_type, c_type, compute);                                        \
  }                                                                                                                    \
  int cublasGemmStridedBatchedEx##suffix(                                                                              \
      void* handle, int a_op, int b_op, integer m, integer n, integer k, const void* alpha, const void* a, int a_type, \
      integer lda, long long a_step, const void* b, int b_type, integer ldb, long long b_step, const void* beta,       \
      void* c, int c_type, integer ldc, long long c_step, integer batch, int compute, int) {                           \
    const Product product{m, n, k, batch, {a, lda, a_step, a_op}, {b, ldb, b_step, b_op}, {c, ldc, c_step}};           \
    return gemm(handle, product, alpha, beta, a_type, b_type, c_type, compute);                                        \
  }
FAKE_GEMM_EX(, int)
FAKE_GEMM_EX(_64, std::int64_t)

#define FAKE_GEMM(letter, type, compute)                                                                               \
  int cublas##letter##gemm_v2(void* handle, int a_op, int b_op, int m, int n, int k, const void* alpha, const void* a, \
                              int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {                   \
    const Product product{m, n, k, 1, {a, lda, 0, a_op}, {b, ldb, 0, b_op}, {c, ldc, 0}};                              \
    return gemm(handle, product, alpha, beta, type, type, type, compute);                                              \
  }
FAKE_GEMM(S, r32f, 68)
FAKE_GEMM(D, r64f, 70)
FAKE_GEMM(C, c32f, 68)
FAKE_GEMM(Z, c64f, 70)
}
