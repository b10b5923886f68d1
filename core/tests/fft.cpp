// Fourier transforms: every length and layout against the definition, threads, the cache of plans, forks.
#include "crossdock/ops/fft.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "../backends/native/kernels/fft_cache.h"
#include "../backends/native/kernels/fft_row.h"
#include "crossdock/runtime/thread_pool.h"
#include "in_child.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

using Number = std::complex<double>;

std::vector<Number> numbers(std::size_t n) {
  std::vector<Number> out(n);
  std::uint64_t state = n;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  };
  for (Number& one : out) one = {next(), next()};
  return out;
}

// By the definition, with roots from integers so small that they are exact.
std::vector<Number> defined(const std::vector<Number>& x, double sign) {
  const std::size_t n = x.size();
  std::vector<Number> out(n), roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k) {
    double re = 0, im = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Number root = roots[j * k % n];
      re += x[j].real() * root.real() - x[j].imag() * root.imag();
      im += x[j].real() * root.imag() + x[j].imag() * root.real();
    }
    out[k] = {re, im};
  }
  return out;
}

double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(difference / std::max(size, 1e-300));
}

// Rows of complex numbers with `row` and `step` numbers between rows and elements, inside of a larger buffer.
template <class T>
class Rows {
 public:
  Rows(std::int64_t rows, std::int64_t n, std::int64_t row, std::int64_t step, int reals)
      : shape_{rows, n}, row_(row * reals), step_(step * reals), reals_(reals) {
    const std::int64_t low = std::min<std::int64_t>(0, (n - 1) * step_) + std::min<std::int64_t>(0, (rows - 1) * row_);
    const std::int64_t high = std::max<std::int64_t>(0, (n - 1) * step_) + std::max<std::int64_t>(0, (rows - 1) * row_);
    data_.assign(static_cast<std::size_t>(high - low + reals), T{0});
    first_ = data_.data() - low;
  }
  Operand operand() const {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool single = sizeof(T) == sizeof(float);
    const Dtype dtype = reals_ == 1 ? single ? Dtype::float32 : Dtype::float64
                        : single    ? Dtype::complex64
                                    : Dtype::complex128;
    return testing::operand(first_, dtype, {row_ * size, step_ * size});
  }
  void put(std::int64_t row, const std::vector<Number>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      T* place = first_ + row * row_ + static_cast<std::int64_t>(i) * step_;
      place[0] = static_cast<T>(values[i].real());
      if (reals_ == 2) place[1] = static_cast<T>(values[i].imag());
    }
  }
  std::vector<Number> get(std::int64_t row) const {
    std::vector<Number> out;
    for (std::int64_t i = 0; i < shape_[1]; ++i) {
      const T* place = first_ + row * row_ + i * step_;
      out.emplace_back(place[0], reals_ == 2 ? place[1] : T{0});
    }
    return out;
  }

 private:
  Dims shape_;
  std::int64_t row_, step_;
  int reals_;
  std::vector<T> data_;
  T* first_;
};

struct Layout {
  std::int64_t row, step;
};

template <class T>
void check(Op op, bool inverse, std::int64_t rows, std::int64_t n, Layout in_layout, Layout out_layout) {
  const std::int64_t half = n / 2 + 1;
  Rows<T> in(rows, op == Op::irfft ? half : n, in_layout.row, in_layout.step, op == Op::rfft ? 1 : 2);
  Rows<T> out(rows, op == Op::rfft ? half : n, out_layout.row, out_layout.step, op == Op::irfft ? 1 : 2);
  std::vector<std::vector<Number>> wanted;
  for (std::int64_t row = 0; row < rows; ++row) {
    auto x = numbers(static_cast<std::size_t>(n + row));
    x.resize(static_cast<std::size_t>(n));
    if (op != Op::fft)
      for (Number& one : x) one = one.real();
    const auto spectrum = defined(x, inverse ? 1 : -1);
    if (op == Op::irfft) {
      in.put(row, {spectrum.begin(), spectrum.begin() + half});
      for (Number& one : x) one *= 3.0 * static_cast<double>(n);
      wanted.push_back(x);
    } else {
      in.put(row, x);
      wanted.emplace_back(spectrum.begin(), spectrum.begin() + (op == Op::rfft ? half : n));
      for (Number& one : wanted.back()) one *= 3.0;
    }
  }
  Launch launch;
  launch.op = op;
  launch.dtype = in.operand().dtype;
  launch.shape = {rows, n};
  launch.noperands = 2;
  launch.operands[0] = in.operand();
  launch.operands[1] = out.operand();
  launch.integers[0] = inverse;
  launch.scalars[0] = 3;
  native::kernels().find(op, launch.dtype)(launch);
  const double most = sizeof(T) == sizeof(float) ? 2e-6 : 4e-14;  // the definition is summed plainly
  for (std::int64_t row = 0; row < rows; ++row)
    ASSERT_LT(distance(out.get(row), wanted[static_cast<std::size_t>(row)]), most)
        << name(op) << " inverse " << inverse << " rows " << rows << " n " << n << " row " << row;
}

template <class T>
void check_all(std::int64_t rows, std::int64_t n) {
  const Layout layouts[] = {{n + 3, 1}, {1, rows + 1}, {2, -2 * rows - 1}, {-2 * n, 2}};
  for (const Layout& layout : layouts) {
    check<T>(Op::fft, false, rows, n, layout, layout);
    check<T>(Op::fft, true, rows, n, layout, layouts[0]);
    check<T>(Op::rfft, false, rows, n, layout, layout);
    check<T>(Op::irfft, false, rows, n, layout, layout);
  }
}

TEST(Fft, EveryLengthAndLayout) {
  for (std::int64_t n = 1; n <= 26; ++n) {
    for (const std::int64_t rows : {1, 2, 19}) {
      if (::testing::Test::HasFatalFailure()) return;
      check_all<float>(rows, n);
      check_all<double>(rows, n);
    }
  }
}

TEST(Fft, ManyKindsOfLength) {  // large primes, their multiples, long powers
  for (const std::int64_t n : {61, 64, 67, 81, 122, 134, 143, 210, 256, 257, 343, 508, 509, 512}) {
    if (::testing::Test::HasFatalFailure()) return;
    check_all<float>(3, n);
    check_all<double>(9, n);
  }
}

// Longer rows than the definition has time for: the inverse of a transform, and a tone.
TEST(Fft, LongRowsOnSeveralThreads) {
  const int before = num_threads();
  for (const std::int64_t n : {65'536, 131'072, 100'000, 65'537}) {
    std::vector<double> tone(static_cast<std::size_t>(2 * n)), spectrum(tone.size()), back(tone.size()), first;
    for (std::int64_t i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i * 5 % n) / static_cast<double>(n);
      tone[static_cast<std::size_t>(2 * i)] = std::cos(angle);
      tone[static_cast<std::size_t>(2 * i + 1)] = std::sin(angle);
    }
    for (const int threads : {1, 4}) {
      set_num_threads(threads);
      const auto plan = native::cached_plan<native::RowPlan<double>>(n);
      plan->run(tone.data(), spectrum.data(), false, 1);
      plan->run(spectrum.data(), back.data(), true, 1 / static_cast<double>(n));
      if (first.empty()) first = spectrum;
      EXPECT_EQ(spectrum, first) << "threads change the result";
      for (std::int64_t i = 0; i < n; ++i) {
        const auto re = static_cast<std::size_t>(2 * i);
        ASSERT_NEAR(spectrum[re], i == 5 ? static_cast<double>(n) : 0, 1e-9) << n << " at " << i;
        ASSERT_NEAR(back[re], tone[re], 1e-13) << n << " at " << i;
        ASSERT_NEAR(back[re + 1], tone[re + 1], 1e-13) << n << " at " << i;
      }
    }
  }
  set_num_threads(before);
}

TEST(Fft, InPlace) {
  const int before = num_threads();
  set_num_threads(4);
  for (const std::int64_t n : {8, 100, 700, 2048}) {
    std::vector<Number> x = numbers(static_cast<std::size_t>(40 * n)), y(x.size());
    for (const bool along_rows : {true, false}) {
      const Dims strides = along_rows ? Dims{16 * n, 16} : Dims{16, 16 * 40};
      std::vector<Number> z = x;
      Launch launch;
      launch.op = Op::fft;
      launch.dtype = Dtype::complex128;
      launch.shape = {40, n};
      launch.noperands = 2;
      launch.scalars[0] = 1;
      launch.operands[0] = operand(x.data(), Dtype::complex128, strides);
      launch.operands[1] = operand(y.data(), Dtype::complex128, strides);
      native::kernels().find(Op::fft, Dtype::complex128)(launch);
      launch.operands[0] = launch.operands[1] = operand(z.data(), Dtype::complex128, strides);
      native::kernels().find(Op::fft, Dtype::complex128)(launch);
      EXPECT_EQ(y, z) << n;
    }
  }
  set_num_threads(before);
}

struct CountedPlan {
  explicit CountedPlan(std::int64_t n) : n(n) {}
  std::int64_t length() const noexcept { return n; }
  std::int64_t nbytes() const noexcept { return n; }
  std::int64_t n;
};

TEST(FftPlans, TheLastUsedAreKept) {
  native::PlanCache<CountedPlan> cache;
  const auto first = cache.get(1);
  for (std::int64_t n = 2; n <= 100; ++n) {
    EXPECT_EQ(cache.get(n)->n, n);
    EXPECT_EQ(cache.get(1), first);  // used all the time
  }
  EXPECT_EQ(cache.size(), native::PlanCache<CountedPlan>::kMost);
  cache.get(native::PlanCache<CountedPlan>::kMostBytes + 1);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(FftPlans, ThreadsShareThem) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([] {
      for (int round = 0; round < 3; ++round) {
        for (std::int64_t n = 2; n < 50; ++n) {
          std::vector<double> x(static_cast<std::size_t>(2 * n), 1), y(x.size());
          native::cached_plan<native::RowPlan<double>>(n)->run(x.data(), y.data(), false, 1);
          EXPECT_NEAR(y[0], static_cast<double>(n), 1e-12);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(FftPlans, WorkInAForkedChild) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  std::vector<double> x(2 * 4096, 1), y(x.size());
  native::cached_plan<native::RowPlan<double>>(4096)->run(x.data(), y.data(), false, 1);
  EXPECT_TRUE(test::in_child([&] {
    native::cached_plan<native::RowPlan<double>>(4096)->run(x.data(), y.data(), false, 1);
    native::cached_plan<native::RowPlan<double>>(1009)->run(x.data(), y.data(), false, 1);
    return std::abs(y[0] - 1009) < 1e-9;
  }));
}

}  // namespace
}  // namespace crossdock::testing
