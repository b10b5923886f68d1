// Small matrix products from packed panels, kept in registers.
#include "vectors.h"

namespace crossdock::native {
namespace {

constexpr int kRows = 6;
constexpr int kVectors = 2;  // per row: with kRows, twelve accumulators of sixteen registers

template <class T>
void run(const std::byte* a_panel, const std::byte* b_panel, std::byte* c_block, std::int64_t pitch,
         std::int64_t depth) {
  using V = Vector<T>;
  constexpr int kLanes = CROSSDOCK_VECTOR_BYTES / static_cast<int>(sizeof(T));
  const T* a = input<T>(a_panel);
  const T* b = input<T>(b_panel);
  T* c = output<T>(c_block);
  V sums[kRows][kVectors] = {};
  for (std::int64_t d = 0; d < depth; ++d, a += kRows, b += kVectors * kLanes) {
    const V b0 = load_vector<V>(b), b1 = load_vector<V>(b + kLanes);
#pragma GCC unroll 6
    for (int row = 0; row < kRows; ++row) {
      sums[row][0] += a[row] * b0;
      sums[row][1] += a[row] * b1;
    }
  }
#pragma GCC unroll 6
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kVectors; ++i) {
      T* const place = c + row * pitch + i * kLanes;
      const V sum = load_vector<V>(place) + sums[row][i];
      __builtin_memcpy(place, &sum, sizeof sum);
    }
  }
}

constexpr int kComplexRows = 2, kComplexColumns = 8;

template <class T>
void run_complex(const std::byte* a_panel, const std::byte* b_panel, std::byte* c_block, std::int64_t pitch,
                 std::int64_t depth) {
  using C = functors::Complex<T>;
  const C* a = input<C>(a_panel);
  const C* b = input<C>(b_panel);
  C* c = output<C>(c_block);
  T re[kComplexRows][kComplexColumns] = {}, im[kComplexRows][kComplexColumns] = {};
  for (std::int64_t d = 0; d < depth; ++d, a += kComplexRows, b += kComplexColumns) {
    for (int row = 0; row < kComplexRows; ++row) {
      for (int i = 0; i < kComplexColumns; ++i) {
        re[row][i] += a[row].re * b[i].re - a[row].im * b[i].im;
        im[row][i] += a[row].re * b[i].im + a[row].im * b[i].re;
      }
    }
  }
  for (int row = 0; row < kComplexRows; ++row) {
    for (int i = 0; i < kComplexColumns; ++i) {
      C& place = c[row * pitch + i];
      place = place + C{re[row][i], im[row][i]};
    }
  }
}

template <class T>
void set(LoopTable& table, Dtype dtype) {
  constexpr int columns = kVectors * CROSSDOCK_VECTOR_BYTES / static_cast<int>(sizeof(T));
  table.gemm[static_cast<int>(dtype)] = {dtype_of<T>, kRows, columns, &run<T>};
}

}  // namespace

void CROSSDOCK_LEVEL::register_gemm(LoopTable& table) {
  set<std::uint8_t>(table, Dtype::uint8);
  set<std::uint16_t>(table, Dtype::uint16);
  set<std::uint32_t>(table, Dtype::uint32);
  set<std::uint64_t>(table, Dtype::uint64);
  for (int width = 0; width < 4; ++width) {  // modulo 2^N, signed and unsigned are the same
    GemmKernel kernel = table.gemm[static_cast<int>(Dtype::uint8) + width];
    kernel.element = static_cast<Dtype>(static_cast<int>(Dtype::int8) + width);
    table.gemm[static_cast<int>(Dtype::int8) + width] = kernel;
  }
  set<float>(table, Dtype::float16);
  set<float>(table, Dtype::bfloat16);
  set<float>(table, Dtype::float32);
  set<double>(table, Dtype::float64);
  table.gemm[static_cast<int>(Dtype::complex64)] = {Dtype::complex64, kComplexRows, kComplexColumns,
                                                    &run_complex<float>};
  table.gemm[static_cast<int>(Dtype::complex128)] = {Dtype::complex128, kComplexRows, kComplexColumns,
                                                     &run_complex<double>};
}

}  // namespace crossdock::native
