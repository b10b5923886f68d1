// matmul, by BLAS where CROSSDOCK_TEST_BLAS names a library, and by the own product.
#include <cstdlib>
#include <type_traits>

#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

class MatmulTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const char* path = std::getenv("CROSSDOCK_TEST_BLAS");
    if (GetParam() && !path) GTEST_SKIP() << "CROSSDOCK_TEST_BLAS is not set";
    native::set_blas_path(GetParam() ? path : "");
    ASSERT_STREQ(native::blas_name(), GetParam() ? "scipy-openblas" : "own");
  }
  void TearDown() override { native::set_blas_path(""); }
};

// Whole numbers so small that every dtype is exact.
std::int64_t value(std::int64_t i) { return (i * 7919) % 7 % 3; }

// Matrices with `strides` in elements for batch, rows and columns, around the middle of a buffer of NaN or junk.
struct Layout {
  std::int64_t batch, row, column;
};

template <class T>
void check(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Layout a, Layout b, Layout c) {
  const std::int64_t s = sizeof(T);
  std::vector<double> numbers(20'000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(value(static_cast<std::int64_t>(i)));
  std::vector<T> x(numbers.size()), r(numbers.size());
  launch(Op::copy, Dtype::float64, {20'000}, {contiguous(numbers, {20'000}), contiguous(x, {20'000})});
  std::memset(static_cast<void*>(r.data()), 0xff, r.size() * sizeof(T));
  const auto place = [s](const T* data, Layout l) {
    return operand(data + 10'000, dtype_of<T>, {l.batch * s, l.row * s, l.column * s});
  };
  launch(Op::matmul, dtype_of<T>, {batch, m, n, k}, {place(x.data(), a), place(x.data(), b), place(r.data(), c)});
  std::vector<double> back(numbers.size());
  launch(Op::copy, dtype_of<T>, {20'000}, {contiguous(r, {20'000}), contiguous(back, {20'000})});
  for (std::int64_t i = 0; i < batch; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      for (std::int64_t l = 0; l < n; ++l) {
        double want = 0;
        const auto at = [i](Layout x, std::int64_t row, std::int64_t column) {
          return static_cast<std::size_t>(10'000 + i * x.batch + row * x.row + column * x.column);
        };
        for (std::int64_t d = 0; d < k; ++d) want += numbers[at(a, j, d)] * numbers[at(b, d, l)];
        ASSERT_EQ(back[at(c, j, l)], want) << name(dtype_of<T>) << " " << m << " " << n << " " << k;
      }
}

template <class T>
void check_layouts() {
  check<T>(2, 5, 7, 9, {45, 9, 1}, {63, 7, 1}, {35, 7, 1});
  check<T>(2, 5, 7, 9, {45, 1, 5}, {0, 1, 9}, {35, 1, 5});
  check<T>(3, 40, 20, 30, {0, 30, 1}, {600, 20, 1}, {800, 20, 1});
  check<T>(1, 5, 7, 9, {0, -9, 2}, {0, 30, 3}, {0, 20, 2});
  check<T>(1, 60, 1, 50, {0, 50, 1}, {0, 3, 1}, {0, 2, 1});
  check<T>(1, 1, 60, 50, {0, 50, 1}, {0, 1, 50}, {0, 60, 1});
  check<T>(2, 3, 4, 0, {0, 0, 1}, {0, 4, 1}, {12, 4, 1});
  check<T>(2, 1, 1, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
}

TEST_P(MatmulTest, EveryDtypeAndLayout) {
  check_layouts<std::int16_t>();
  check_layouts<std::uint32_t>();
  check_layouts<std::int64_t>();
  check_layouts<Float16>();
  check_layouts<BFloat16>();
  check_layouts<float>();
  check_layouts<double>();
  check_layouts<Complex64>();
  check_layouts<Complex128>();
}

// One row times one column, of all lengths that are summed in ways of their own.
template <class T>
void check_dots() {
  for (const std::int64_t k : {0, 1, 3, 15, 16, 100, 255, 256, 1001, 33'000, 100'000}) {
    for (const std::int64_t step : {1, 3, -1}) {
      std::vector<double> numbers(static_cast<std::size_t>(3 * k + 3));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<double>(value(static_cast<std::int64_t>(i)) - 1);
      std::vector<T> x(numbers.size()), r(2);
      const Dims all{static_cast<std::int64_t>(numbers.size())};
      launch(Op::copy, Dtype::float64, all, {contiguous(numbers, all), contiguous(x, all)});
      const std::int64_t s = sizeof(T), first = step < 0 ? 3 * k : 0;
      const auto row = operand(x.data() + first, dtype_of<T>, {s, 0, step * s});
      const auto column = operand(x.data() + 1, dtype_of<T>, {s, s, 0});
      launch(Op::matmul, dtype_of<T>, {2, 1, 1, k}, {row, column, contiguous(r, {2, 1, 1})});
      std::vector<double> back(2);
      launch(Op::copy, dtype_of<T>, {2}, {contiguous(r, {2}), contiguous(back, {2})});
      for (std::int64_t i = 0; i < 2; ++i) {
        double want = 0;
        for (std::int64_t d = 0; d < k; ++d) {
          want +=
              numbers[static_cast<std::size_t>(first + i + d * step)] * numbers[static_cast<std::size_t>(1 + i + d)];
        }
        if constexpr (std::is_integral_v<T>)
          want = static_cast<double>(static_cast<T>(static_cast<std::int64_t>(want)));
        ASSERT_EQ(back[static_cast<std::size_t>(i)], want) << name(dtype_of<T>) << " " << k << " " << step;
      }
    }
  }
}

TEST_P(MatmulTest, OneRowTimesOneColumn) {
  check_dots<std::int8_t>();
  check_dots<std::int16_t>();
  check_dots<std::int32_t>();
  check_dots<std::int64_t>();
  check_dots<float>();
  check_dots<double>();
  check_dots<Complex64>();
  check_dots<Complex128>();
}

TEST_P(MatmulTest, ThreadsDoNotChangeTheResult) {
  const int before = num_threads();
  const std::int64_t m = 301, n = 515, k = 333;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
      r(static_cast<std::size_t>(m * n)), first;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(value(static_cast<std::int64_t>(i)));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(value(static_cast<std::int64_t>(i + 5)));
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    launch(Op::matmul, Dtype::float32, {m, n, k},
           {contiguous(a, {m, k}), contiguous(b, {k, n}), contiguous(r, {m, n})});
    if (first.empty()) first = r;
    EXPECT_EQ(r, first);
  }
  const std::int64_t length = 99'000;
  std::vector<float> sum(1), wanted;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.0f / static_cast<float>(i + 1);  // its sums are rounded
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    launch(Op::matmul, Dtype::float32, {1, 1, length},
           {contiguous(a, {1, length}), contiguous(a, {length, 1}), contiguous(sum, {1, 1})});
    if (wanted.empty()) wanted = sum;
    EXPECT_EQ(sum, wanted);
  }
  set_num_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Own, MatmulTest, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Blas, MatmulTest, ::testing::Values(true));

}  // namespace
}  // namespace crossdock::testing
