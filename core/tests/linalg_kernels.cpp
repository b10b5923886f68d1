// Factorizations by LAPACK, where CROSSDOCK_TEST_BLAS names a library.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

class LinalgTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("CROSSDOCK_TEST_BLAS");
    if (!path) GTEST_SKIP() << "CROSSDOCK_TEST_BLAS is not set";
    native::set_blas_path(path);
  }
  void TearDown() override { native::set_blas_path(""); }
};

// A matrix of a stack in memory: `strides` in elements for batch, rows and columns, `offset` of the first element.
struct Layout {
  std::int64_t batch, row, column, offset;
  std::size_t at(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(offset + b * batch + i * row + j * column);
  }
};

template <class T>
Operand place(const std::vector<T>& data, const Layout& l, Dtype dtype, bool vector = false) {
  const std::int64_t s = sizeof(T);
  return operand(data.data() + l.offset, dtype,
                 vector ? Dims{l.batch * s, l.row * s} : Dims{l.batch * s, l.row * s, l.column * s});
}

template <class T>
struct Traits {
  using Real = T;
  static constexpr Dtype dtype = dtype_of<T>, real = dtype_of<T>;
};
template <class R>
struct Traits<std::complex<R>> {
  using Real = R;
  static constexpr Dtype dtype = sizeof(R) == 4 ? Dtype::complex64 : Dtype::complex128, real = dtype_of<R>;
};

template <class T>
T number(std::int64_t seed) {
  const double x = std::sin(static_cast<double>(seed) * 12.9898) * 3, y = std::cos(static_cast<double>(seed) * 78.233);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    return {static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(y)};
  }
}

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

// Exactly as long as its last element needs, so that a sanitizer sees what lies beyond.
template <class T>
std::vector<T> memory(const Layout& l, std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  std::int64_t last = l.offset;
  last += std::max<std::int64_t>(0, (batch - 1) * l.batch) + std::max<std::int64_t>(0, (rows - 1) * l.row) +
          std::max<std::int64_t>(0, (columns - 1) * l.column);
  return std::vector<T>(static_cast<std::size_t>(last + 1));
}

std::vector<Layout> layouts(std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  const std::int64_t size = rows * columns;
  return {{size, columns, 1, 0},
          {size, 1, rows, 0},
          {6 * size, 3 * columns, 2, 1},
          {-size, -columns, -1, batch * size - 1}};
}

template <class T>
class Each : public LinalgTest {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Each, Types);

template <class T>
double tolerance(std::int64_t n) {
  return 200 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<typename Traits<T>::Real>::epsilon());
}

TYPED_TEST(Each, InverseAndSolution) {
  using T = TypeParam;
  constexpr Dtype dtype = Traits<T>::dtype;
  for (const std::int64_t n : {1, 2, 5, 33}) {
    const std::int64_t batch = 3;
    for (const Layout& l : layouts(batch, n, n)) {
      auto a = memory<T>(l, batch, n, n), inverse = a, x = a;
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            a[l.at(b, i, j)] = number<T>(b * 1000 + i * n + j) + (i == j ? T(4 * static_cast<float>(n)) : T(0));
      launch(Op::inv, dtype, {batch, n, n}, {place(a, l, dtype), place(inverse, l, dtype)});
      launch(Op::solve, dtype, {batch, n, n}, {place(a, l, dtype), place(a, l, dtype), place(x, l, dtype)});
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            T sum = 0;
            for (std::int64_t k = 0; k < n; ++k) sum += a[l.at(b, i, k)] * inverse[l.at(b, k, j)];
            ASSERT_NEAR(std::abs(sum - T(i == j)), 0, tolerance<T>(n)) << n;
            ASSERT_NEAR(std::abs(x[l.at(b, i, j)] - T(i == j)), 0, tolerance<T>(n)) << n;
          }
    }
  }
}

TYPED_TEST(Each, CholeskyReadsAndWritesOneTriangle) {
  using T = TypeParam;
  constexpr Dtype dtype = Traits<T>::dtype;
  const std::int64_t n = 6;
  for (const Layout& l : layouts(2, n, n)) {
    for (const bool upper : {false, true}) {
      auto a = memory<T>(l, 2, n, n), factor = a;
      const auto entry = [&](std::int64_t i, std::int64_t j) {
        return i == j ? T(20) : i > j ? number<T>(i * n + j) : conjugate(number<T>(j * n + i));
      };
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            a[l.at(b, i, j)] = (upper ? i > j : i < j) ? T(std::nanf("")) : entry(i, j);
      Launch order;
      order.op = Op::cholesky;
      order.dtype = dtype;
      order.shape = {2, n, n};
      order.noperands = 2;
      order.operands[0] = place(a, l, dtype);
      order.operands[1] = place(factor, l, dtype);
      order.integers[0] = upper;
      native::kernels().find(Op::cholesky, dtype)(order);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          T sum = 0;
          for (std::int64_t k = 0; k < n; ++k)
            sum += upper ? conjugate(factor[l.at(1, k, i)]) * factor[l.at(1, k, j)]
                         : factor[l.at(1, i, k)] * conjugate(factor[l.at(1, j, k)]);
          ASSERT_NEAR(std::abs(sum - entry(i, j)), 0, tolerance<T>(n));
          if (upper ? i > j : i < j) ASSERT_EQ(factor[l.at(1, i, j)], T(0));
        }
    }
  }
}

// q @ r, u @ diag(s) @ vh and v @ diag(w) @ v^H are the matrix.
TYPED_TEST(Each, FactorsMultiplyToTheMatrix) {
  using T = TypeParam;
  using R = typename Traits<T>::Real;
  constexpr Dtype dtype = Traits<T>::dtype, real = Traits<T>::real;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {4, 4}, {7, 3}, {3, 7}, {1, 5}, {5, 1}}) {
    const std::int64_t k = std::min(m, n);
    for (const bool all : {false, true}) {
      const Layout l{m * n, n, 1, 0};
      const std::int64_t width = all ? m : k, height = all ? n : k;
      auto a = memory<T>(l, 2, m, n);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = number<T>(static_cast<std::int64_t>(i));
      const Layout lq{m * width, width, 1, 0}, lr{width * n, n, 1, 0}, lvh{height * n, n, 1, 0}, ls{k, 1, 0, 0};
      auto q = memory<T>(lq, 2, m, width), u = q;
      auto r = memory<T>(lr, 2, width, n), vh = memory<T>(lvh, 2, height, n);
      auto s = memory<R>(ls, 2, k, 1), only_s = s;
      Launch order;
      order.dtype = dtype;
      order.shape = {2, m, n};
      order.integers[0] = all;
      order.operands[0] = place(a, l, dtype);
      order.op = Op::qr;
      order.noperands = 3;
      order.operands[1] = place(q, lq, dtype);
      order.operands[2] = place(r, lr, dtype);
      native::kernels().find(Op::qr, dtype)(order);
      order.op = Op::svd;
      order.noperands = 4;
      order.operands[1] = place(u, lq, dtype);
      order.operands[2] = place(s, ls, real, true);
      order.operands[3] = place(vh, lvh, dtype);
      native::kernels().find(Op::svd, dtype)(order);
      launch(Op::svdvals, dtype, {2, m, n}, {place(a, l, dtype), place(only_s, ls, real, true)});
      for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t i = 0; i < k; ++i) ASSERT_NEAR(s[ls.at(b, i, 0)], only_s[ls.at(b, i, 0)], tolerance<T>(9));
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            T qr = 0, usv = 0;
            for (std::int64_t p = 0; p < width; ++p) qr += q[lq.at(b, i, p)] * r[lr.at(b, p, j)];
            for (std::int64_t p = 0; p < k; ++p) usv += u[lq.at(b, i, p)] * s[ls.at(b, p, 0)] * vh[lvh.at(b, p, j)];
            ASSERT_NEAR(std::abs(qr - a[l.at(b, i, j)]), 0, tolerance<T>(9));
            ASSERT_NEAR(std::abs(usv - a[l.at(b, i, j)]), 0, tolerance<T>(9));
          }
      }
    }
  }
}

TYPED_TEST(Each, EigenvectorsOfTheLowerTriangle) {
  using T = TypeParam;
  using R = typename Traits<T>::Real;
  constexpr Dtype dtype = Traits<T>::dtype, real = Traits<T>::real;
  for (const std::int64_t n : {1, 2, 9}) {
    const Layout l{n * n, n, 1, 0}, lw{n, 1, 0, 0};
    auto a = memory<T>(l, 2, n, n), v = a;
    auto w = memory<R>(lw, 2, n, 1), only_w = w;
    const auto entry = [&](std::int64_t i, std::int64_t j) {
      return i == j ? T(std::real(number<T>(i))) : i > j ? number<T>(i * n + j) : conjugate(number<T>(j * n + i));
    };
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) a[l.at(b, i, j)] = i < j ? T(std::nanf("")) : entry(i, j);
    launch(Op::eigh, dtype, {2, n, n}, {place(a, l, dtype), place(w, lw, real, true), place(v, l, dtype)});
    launch(Op::eigvalsh, dtype, {2, n, n}, {place(a, l, dtype), place(only_w, lw, real, true)});
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(w[lw.at(1, i, 0)], only_w[lw.at(1, i, 0)], tolerance<T>(n));
      for (std::int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += v[l.at(1, i, k)] * w[lw.at(1, k, 0)] * conjugate(v[l.at(1, j, k)]);
        ASSERT_NEAR(std::abs(sum - entry(i, j)), 0, tolerance<T>(n));
      }
    }
  }
}

TEST_F(LinalgTest, LuGivesRowsFromZero) {
  const std::vector<double> a = {0, 2, 0, 3, 4, 0, 0, 0, 0};  // singular: no error here
  std::vector<double> factors(9), parity(1);
  std::vector<std::int64_t> pivots(3);
  launch(Op::lu, Dtype::float64, {3, 3},
         {contiguous(a, {3, 3}), contiguous(factors, {3, 3}), contiguous(pivots, {3}), contiguous(parity, {})});
  EXPECT_EQ(factors, (std::vector<double>{3, 4, 0, 0, 2, 0, 0, 0, 0}));
  EXPECT_EQ(pivots, (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(parity[0], -1);
}

TEST_F(LinalgTest, NamesTheFirstMatrixThatFails) {
  const int before = num_threads();
  std::vector<float> a(100 * 4 * 4), out(a.size());
  for (std::size_t b = 0; b < 100; ++b)
    for (std::size_t i = 0; i < 4; ++i) a[b * 16 + i * 5] = b == 37 || b == 80 ? 0.0f : 1.0f;
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    try {
      native::kernels().find(Op::inv, Dtype::float32)([&] {
        Launch order;
        order.op = Op::inv;
        order.dtype = Dtype::float32;
        order.shape = {10, 10, 4, 4};
        order.noperands = 2;
        order.operands[0] = contiguous(a, order.shape);
        order.operands[1] = contiguous(out, order.shape);
        return order;
      }());
      FAIL() << "a singular matrix has an inverse";
    } catch (const LinAlgError& error) {
      EXPECT_STREQ(error.what(), "inv: matrix (3, 7) of the stack is singular");
    }
  }
  set_num_threads(before);
}

// Sizes are looked at before any memory is.
TEST_F(LinalgTest, RefusesSizesBeyond32Bits) {
  Launch order;
  order.dtype = Dtype::float64;
  order.noperands = 3;
  for (auto& one : order.operands) one = operand(nullptr, Dtype::float64, {8, 8});
  const auto refused = [&](Op op, Dtype dtype, std::int64_t m, std::int64_t n) {
    order.op = op;
    order.dtype = dtype;
    order.shape = {m, n};
    EXPECT_THROW(native::kernels().find(op, dtype)(order), DimensionError) << name(op) << m << " " << n;
  };
  const std::int64_t most = std::numeric_limits<int>::max();
  refused(Op::cholesky, Dtype::float64, most + 1, most + 1);
  refused(Op::inv, Dtype::float64, most + 1, most + 1);
  refused(Op::solve, Dtype::float64, 2, most + 1);
  refused(Op::lu, Dtype::float64, 2, most + 1);
  refused(Op::qr, Dtype::float64, most + 1, 2);
  refused(Op::svd, Dtype::complex64, 2, most + 1);
  refused(Op::svdvals, Dtype::float32, most + 1, 2);
  // These count, but not the room that they need.
  refused(Op::eigh, Dtype::float64, 40'000, 40'000);
  refused(Op::eigh, Dtype::complex64, 40'000, 40'000);
  refused(Op::svd, Dtype::float32, 30'000, 30'000);
  refused(Op::svd, Dtype::complex128, 30'000, 30'000);
}

TEST_F(LinalgTest, SurvivesNumbersThatAreNotFinite) {
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::int64_t n : {1, 2, 3, 17, 70}) {
      for (std::int64_t place = 0; place < n * n; place += 1 + n * n / 7) {
        const Dims square{n, n};
        std::vector<double> a(static_cast<std::size_t>(n * n), odd), out(a), other(a), s(static_cast<std::size_t>(n));
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
        std::vector<double> parity(1);
        if (place > 0) {
          for (std::size_t i = 0; i < a.size(); ++i) a[i] = number<double>(static_cast<std::int64_t>(i));
          a[static_cast<std::size_t>(place)] = odd;
        }
        const auto tried = [&](Op op, std::initializer_list<Operand> operands) {
          try {
            launch(op, Dtype::float64, square, operands);
          } catch (const LinAlgError&) {
          }
        };
        tried(Op::lu,
              {contiguous(a, square), contiguous(out, square), contiguous(pivots, {n}), contiguous(parity, {})});
        tried(Op::inv, {contiguous(a, square), contiguous(out, square)});
        tried(Op::solve, {contiguous(a, square), contiguous(a, square), contiguous(out, square)});
        tried(Op::cholesky, {contiguous(a, square), contiguous(out, square)});
        tried(Op::qr, {contiguous(a, square), contiguous(out, square), contiguous(other, square)});
        tried(Op::eigh, {contiguous(a, square), contiguous(s, {n}), contiguous(out, square)});
        tried(Op::svdvals, {contiguous(a, square), contiguous(s, {n})});
      }
    }
  }
}

TEST(LinalgWithoutALibrary, SaysWhatToInstall) {
  native::set_blas_path("");
  const Requirement requirement = native::kernels().requirement(Op::svd);
  ASSERT_NE(requirement, nullptr);
  EXPECT_EQ(native::kernels().requirement(Op::matmul), nullptr);
  try {
    requirement();
    FAIL() << "LAPACK without a library";
  } catch (const NotImplementedError& error) {
    EXPECT_NE(std::string(error.what()).find("pip install scipy-openblas32"), std::string::npos);
  }
}

}  // namespace
}  // namespace crossdock::testing
