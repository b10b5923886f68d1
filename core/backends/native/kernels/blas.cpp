#include "blas.h"

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "crossdock/backends/native.h"
#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/dynamic_library.h"

namespace crossdock::native {

namespace {

// The CBLAS interface, in its own words.
enum Layout : int { kRowMajor = 101 };
enum Transpose : int { kNoTranspose = 111, kTranspose = 112 };
template <class Scale>
using Gemm = void(Layout, Transpose, Transpose, int, int, int, Scale, const void*, int, const void*, int, Scale, void*,
                  int);
template <class Scale>
using Gemv = void(Layout, Transpose, int, int, Scale, const void*, int, const void*, int, Scale, void*, int);
template <class Number>
using Dot = Number(int, const void*, int, const void*, int);
using ComplexDot = void(int, const void*, int, const void*, int, void*);

// Never freed, and free in a forked child even when another thread was loading the library.
ForkMutex& mutex() {
  static ForkMutex* one = new ForkMutex;
  return *one;
}
std::string library_path;
std::atomic<bool> opened = false;
std::atomic<const Blas*> library = nullptr;

bool lies_in_rows(const Matrix& matrix, std::int64_t itemsize) noexcept {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  const bool columns = matrix.columns == 1 || matrix.column_stride == itemsize;
  const bool rows = matrix.rows == 1 || (matrix.row_stride >= matrix.columns * itemsize &&
                                         matrix.row_stride % itemsize == 0 && matrix.row_stride / itemsize <= kMax);
  return columns && rows && matrix.rows <= kMax && matrix.columns <= kMax;
}

// A matrix as BLAS takes it: rows `leading` elements apart, read transposed or not.
struct View {
  View(const Matrix& matrix, std::int64_t itemsize) noexcept
      : transpose(lies_in_rows(matrix, itemsize) ? kNoTranspose : kTranspose) {
    const Matrix lying = transpose == kNoTranspose ? matrix : matrix.transposed();
    data = lying.data;
    rows = static_cast<int>(lying.rows);
    columns = static_cast<int>(lying.columns);
    leading = lying.rows == 1 ? columns : static_cast<int>(lying.row_stride / itemsize);
  }
  Transpose transpose;
  const void* data;
  int rows, columns, leading;
};

// Calls call(function, one, zero) with scalars as the function takes them.
template <template <class> class Function, class Call>
void with_scalars(Dtype dtype, void* function, Call&& call) {
  static constexpr float ones[2] = {1, 0}, zeros[2] = {0, 0};
  static constexpr double double_ones[2] = {1, 0}, double_zeros[2] = {0, 0};
  switch (dtype) {
    case Dtype::float32:
      return call(reinterpret_cast<Function<float>*>(function), 1.0f, 0.0f);
    case Dtype::float64:
      return call(reinterpret_cast<Function<double>*>(function), 1.0, 0.0);
    case Dtype::complex64:
      return call(reinterpret_cast<Function<const void*>*>(function), static_cast<const void*>(ones),
                  static_cast<const void*>(zeros));
    default:
      return call(reinterpret_cast<Function<const void*>*>(function), static_cast<const void*>(double_ones),
                  static_cast<const void*>(double_zeros));
  }
}

std::size_t number(Dtype dtype) noexcept {
  return static_cast<std::size_t>(dtype) - static_cast<std::size_t>(Dtype::float32);
}

}  // namespace

const Blas* Blas::get() {
  if (!opened.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex());
    if (!opened.load(std::memory_order_relaxed)) {
      // All that were ever opened are kept: another thread may still be in one whose path was replaced.
      static auto& known = *new std::map<std::string, const Blas*>;
      const auto [place, fresh] = known.try_emplace(library_path, nullptr);
      if (fresh) place->second = open(library_path);
      library.store(place->second, std::memory_order_relaxed);
      opened.store(true, std::memory_order_release);
    }
  }
  return library.load(std::memory_order_relaxed);
}

const Blas* Blas::open(const std::string& path) {
  if (path.empty()) return nullptr;
  const DynamicLibrary opened_library = DynamicLibrary::open(path);
  if (!opened_library) return nullptr;
  static constexpr const char* kGemm[] = {"scipy_cblas_sgemm", "scipy_cblas_dgemm", "scipy_cblas_cgemm",
                                          "scipy_cblas_zgemm"};
  static constexpr const char* kGemv[] = {"scipy_cblas_sgemv", "scipy_cblas_dgemv", "scipy_cblas_cgemv",
                                          "scipy_cblas_zgemv"};
  static constexpr const char* kDot[] = {"scipy_cblas_sdot", "scipy_cblas_ddot", "scipy_cblas_cdotu_sub",
                                         "scipy_cblas_zdotu_sub"};
  auto blas = std::make_unique<Blas>();
  for (int i = 0; i < 4; ++i) {
    blas->functions_.gemm[i] = opened_library.symbol(kGemm[i]);
    blas->functions_.gemv[i] = opened_library.symbol(kGemv[i]);
    blas->functions_.dot[i] = opened_library.symbol(kDot[i]);
    if (!blas->functions_.gemm[i] || !blas->functions_.gemv[i] || !blas->functions_.dot[i]) return nullptr;
  }
  if (Lapack lapack; lapack.load(opened_library)) blas->lapack_ = lapack;
  // Our threads call it: its own would compete with them.
  if (auto* set_threads = opened_library.function<void(int)>("scipy_openblas_set_num_threads")) set_threads(1);
  return blas.release();  // as long as the library, which is never closed
}

bool Blas::takes(const Matrix& matrix, std::int64_t itemsize) noexcept {
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(matrix.data) % static_cast<std::size_t>(std::min<std::int64_t>(itemsize, 8)) ==
      0;
  return aligned && (lies_in_rows(matrix, itemsize) || lies_in_rows(matrix.transposed(), itemsize));
}

void Blas::multiply(Dtype dtype, const Product& product) const {
  if (product.c.columns == 1) return call_gemv(dtype, product.a, product.b, product.c);
  if (product.c.rows == 1) {
    return call_gemv(dtype, product.b.transposed(), product.a.transposed(), product.c.transposed());
  }
  const auto& [a, b, c] = product;
  if (lies_in_rows(c, itemsize(dtype))) return call_gemm(dtype, product);
  call_gemm(dtype, {b.transposed(), a.transposed(), c.transposed()});
}

void Blas::call_gemm(Dtype dtype, const Product& product) const {
  const std::int64_t size = itemsize(dtype);
  const View a(product.a, size), b(product.b, size), c(product.c, size);
  const int m = static_cast<int>(product.c.rows), n = static_cast<int>(product.c.columns),
            k = static_cast<int>(product.a.columns);
  with_scalars<Gemm>(dtype, functions_.gemm[number(dtype)], [&](auto* function, auto one, auto zero) {
    function(kRowMajor, a.transpose, b.transpose, m, n, k, one, a.data, a.leading, b.data, b.leading, zero,
             product.c.data, c.leading);
  });
}

// y = matrix @ x, with x and y of one column.
void Blas::call_gemv(Dtype dtype, const Matrix& matrix, const Matrix& x, const Matrix& y) const {
  const std::int64_t size = itemsize(dtype);
  const View view(matrix, size);
  const auto step = [size](const Matrix& column) {
    return column.rows == 1 ? 1 : static_cast<int>(column.row_stride / size);
  };
  // With beta = 0 some versions still multiply what is there, perhaps NaN.
  for (std::int64_t row = 0; row < y.rows; ++row)
    std::memset(y.data + row * y.row_stride, 0, static_cast<std::size_t>(size));
  with_scalars<Gemv>(dtype, functions_.gemv[number(dtype)], [&](auto* function, auto one, auto zero) {
    function(kRowMajor, view.transpose, view.rows, view.columns, one, view.data, view.leading, x.data, step(x), zero,
             y.data, step(y));
  });
}

void Blas::dot(Dtype dtype, int size, const void* a, const void* b, void* out) const {
  void* function = functions_.dot[number(dtype)];
  if (is_complex(dtype)) {
    reinterpret_cast<ComplexDot*>(function)(size, a, 1, b, 1, out);
  } else if (dtype == Dtype::float32) {
    *static_cast<float*>(out) = reinterpret_cast<Dot<float>*>(function)(size, a, 1, b, 1);
  } else {
    *static_cast<double*>(out) = reinterpret_cast<Dot<double>*>(function)(size, a, 1, b, 1);
  }
}

void set_blas_path(std::string path) {
  const std::lock_guard lock(mutex());
  library_path = std::move(path);
  opened.store(false, std::memory_order_release);
}

const char* blas_name() { return Blas::get() ? "scipy-openblas" : "own"; }

}  // namespace crossdock::native
