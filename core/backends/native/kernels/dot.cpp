#include "dot.h"

#include <memory>
#include <type_traits>

#include "blas.h"
#include "blas_turn.h"

namespace crossdock::native {

namespace {

template <class T>
T load(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The sum of a number type; unsigned integers stand for signed ones, which wrap around alike.
template <class T>
struct Real {
  T value{};
  void add(const std::byte* a, const std::byte* b) noexcept { value = static_cast<T>(value + load<T>(a) * load<T>(b)); }
  void add(const Real& other) noexcept { value = static_cast<T>(value + other.value); }
};

template <class T>
struct Complex {
  T real{}, imag{};
  void add(const std::byte* a, const std::byte* b) noexcept {
    const T ar = load<T>(a), ai = load<T>(a + sizeof(T)), br = load<T>(b), bi = load<T>(b + sizeof(T));
    real += ar * br - ai * bi;
    imag += ar * bi + ai * br;
  }
  void add(const Complex& other) noexcept {
    real += other.real;
    imag += other.imag;
  }
};

struct Vectors {
  const std::byte *a, *b;
  std::int64_t a_step, b_step, size;
};

template <class Sum>
Sum sum_of(const Vectors& v) noexcept {
  constexpr std::int64_t kLanes = 8, kSize = sizeof(Sum);
  Sum total{};
  std::int64_t i = 0;
  if (v.a_step == kSize && v.b_step == kSize && v.size >= 2 * kLanes) {
    Sum lanes[kLanes] = {};
    for (; i + kLanes <= v.size; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        lanes[lane].add(v.a + (i + lane) * kSize, v.b + (i + lane) * kSize);
    }
    for (const Sum& lane : lanes) total.add(lane);
  }
  for (; i < v.size; ++i) total.add(v.a + i * v.a_step, v.b + i * v.b_step);
  return total;
}

// Where a call of BLAS pays, for what lies one after the other.
constexpr std::int64_t kLong = 256;
// Longer ones are added up in pieces, on any number of threads to the same result.
constexpr std::int64_t kPiece = 32 * 1024;

template <class Sum>
void run(const MatrixProduct& products, Dtype dtype) {
  const Product first = products.at(0);
  const std::int64_t k = products.k(), a_step = first.a.column_stride, b_step = first.b.row_stride;
  const bool dense = a_step == sizeof(Sum) && b_step == sizeof(Sum);
  const Blas* blas = is_floating(dtype) && dense && k >= kLong ? Blas::get() : nullptr;
  const auto sum = [&](const std::byte* a, const std::byte* b, std::int64_t size) {
    if (!blas) return sum_of<Sum>({a, b, a_step, b_step, size});
    const BlasTurn turn;
    Sum total{};
    blas->dot(dtype, static_cast<int>(size), a, b, &total);
    return total;
  };
  if (k <= kPiece) {
    auto row = [&](std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        const Sum total = sum(pointers[0] + i * strides[0], pointers[1] + i * strides[1], k);
        std::memcpy(pointers[2] + i * strides[2], &total, sizeof total);
      }
    };
    return for_rows(products.batch_nest(), 1 + kGrain / (k + 1), row);
  }
  const std::int64_t pieces = (k + kPiece - 1) / kPiece;
  const std::unique_ptr<Sum[]> parts(new Sum[static_cast<std::size_t>(products.batch() * pieces)]);
  parallel_for(products.batch() * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const Product product = products.at(task / pieces);
      const std::int64_t start = task % pieces * kPiece;
      parts[static_cast<std::size_t>(task)] =
          sum(product.a.data + start * a_step, product.b.data + start * b_step, std::min(kPiece, k - start));
    }
  });
  for (std::int64_t index = 0; index < products.batch(); ++index) {
    Sum total{};
    for (std::int64_t i = 0; i < pieces; ++i) total.add(parts[static_cast<std::size_t>(index * pieces + i)]);
    std::memcpy(products.at(index).c.data, &total, sizeof total);
  }
}

}  // namespace

void dot(const MatrixProduct& products, Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return run<Real<float>>(products, dtype);
    case Dtype::float64:
      return run<Real<double>>(products, dtype);
    case Dtype::complex64:
      return run<Complex<float>>(products, dtype);
    case Dtype::complex128:
      return run<Complex<double>>(products, dtype);
    default:
      break;
  }
  switch (itemsize(dtype)) {
    case 1:
      return run<Real<std::uint8_t>>(products, dtype);
    case 2:
      return run<Real<std::uint16_t>>(products, dtype);
    case 4:
      return run<Real<std::uint32_t>>(products, dtype);
    default:
      return run<Real<std::uint64_t>>(products, dtype);
  }
}

}  // namespace crossdock::native
