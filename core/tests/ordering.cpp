// Sorting and searching kernels: rows of any length, strides and alignment, on several threads.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

void order(Op op, Dtype dtype, const Dims& shape, const Operand& input, const Operand& output, bool descending) {
  Launch launch;
  launch.op = op;
  launch.dtype = dtype;
  launch.shape = shape;
  launch.noperands = 2;
  launch.operands[0] = input;
  launch.operands[1] = output;
  launch.integers[0] = descending;
  const Kernel kernel = native::kernels().find(op, dtype);
  ASSERT_NE(kernel, nullptr);
  kernel(launch);
}

// As sort has it: NaN above all.
template <class T>
bool before(T a, T b) {
  return a < b || (a == a && b != b);
}

// The indices that sort, stably, by the standard library.
template <class T>
std::vector<std::int64_t> wanted(const std::vector<T>& x, bool descending) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    const T left = x[static_cast<std::size_t>(a)], right = x[static_cast<std::size_t>(b)];
    return descending ? before(right, left) : before(left, right);
  });
  return places;
}

template <class T>
void check_row(const std::vector<T>& x) {
  const Dims shape{static_cast<std::int64_t>(x.size())};
  for (const bool descending : {false, true}) {
    const auto places = wanted(x, descending);
    std::vector<std::int64_t> indices(x.size());
    order(Op::argsort, dtype_of<T>, shape, contiguous(x, shape), contiguous(indices, shape), descending);
    ASSERT_EQ(indices, places) << name(dtype_of<T>) << " " << x.size();
    std::vector<T> sorted(x.size()), want;
    for (const auto place : places) want.push_back(x[static_cast<std::size_t>(place)]);
    order(Op::sort, dtype_of<T>, shape, contiguous(x, shape), contiguous(sorted, shape), descending);
    ASSERT_EQ(std::memcmp(sorted.data(), want.data(), x.size() * sizeof(T)), 0) << name(dtype_of<T>) << " " << x.size();
  }
}

std::uint64_t random(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ state >> 29;
}

template <class T>
std::vector<T> random_bits(std::int64_t n, std::uint64_t mask = ~std::uint64_t{0}) {
  std::uint64_t state = static_cast<std::uint64_t>(n);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) {
    const std::uint64_t bits = random(state) & mask;
    std::memcpy(&value, &bits, sizeof value);
  }
  return x;
}

TEST(Ordering, RowsOfEveryLength) {
  for (const std::int64_t n : {1, 2, 7, 79, 80, 81, 200, 4096, 4097, 20'000}) {
    check_row(random_bits<std::int8_t>(n));
    check_row(random_bits<std::uint16_t>(n));
    check_row(random_bits<std::int32_t>(n));
    check_row(random_bits<std::uint64_t>(n));
    check_row(random_bits<float>(n));
    check_row(random_bits<double>(n));
  }
}

TEST(Ordering, LongRowsOnSeveralThreads) {
  for (const int count : {1, 3}) {
    const Threads threads(count);
    check_row(random_bits<std::uint16_t>(100'000));
    check_row(random_bits<float>(100'000));
    check_row(random_bits<std::int64_t>(100'000));
    // Runs that agree in all digits that are sorted by first: short, long, and one that is everything.
    check_row(random_bits<std::uint64_t>(100'000, 0xffff'0000'0000'ffff));
    check_row(random_bits<std::uint64_t>(100'000, 0x0101'0101'0101'ffff));
    check_row(random_bits<std::uint64_t>(100'000, 0xff00));
  }
}

// Keys that are hard to part: few different ones, the largest that there are, and orders that samples may mistake.
TEST(Ordering, RowsOfPatterns) {
  const auto check = []<class T>(T) {
    for (const std::int64_t n : {90, 128, 129, 255, 1000, 70'000}) {
      for (int pattern = 0; pattern < 6; ++pattern) {
        auto x = random_bits<T>(n);
        for (std::int64_t i = 0; i < n; ++i) {
          T& value = x[static_cast<std::size_t>(i)];
          const auto place = static_cast<T>(i);
          if (pattern == 0) value = static_cast<T>(value & 1);
          if (pattern == 1) value = std::numeric_limits<T>::max();
          if (pattern == 2) value = static_cast<T>(i % 2 != 0 ? value : std::numeric_limits<T>::max());
          if (pattern == 3) value = i < n / 2 ? place : static_cast<T>(n - i);
          if (pattern == 4) value = static_cast<T>(i % 3 == 0 ? std::numeric_limits<T>::min() : place);
          if (pattern == 5 && i != n / 2) value = place;
        }
        check_row(x);
      }
    }
  };
  for (const int count : {1, 3}) {
    const Threads threads(count);
    check(std::int32_t{});
    check(std::uint32_t{});
    check(std::int64_t{});
    check(std::uint64_t{});
  }
}

TEST(Ordering, RowsInOrderAlready) {
  for (const std::int64_t n : {90, 100'000}) {
    std::vector<double> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), -3.0);
    check_row(x);
    std::reverse(x.begin(), x.end());
    check_row(x);
    check_row(std::vector<double>(x.size(), 7));
  }
}

TEST(Ordering, ZerosAndNansKeepTheirOrder) {
  const double nan = std::nan("1"), other = -std::nan("2");
  std::vector<double> x;
  for (int i = 0; i < 50; ++i) {
    for (const double value : {0.0, nan, -1.0, -0.0, other, 3.0, -HUGE_VAL, HUGE_VAL}) x.push_back(value);
    check_row(x);
  }
}

TEST(Ordering, ManyRowsOfAnyStrides) {
  const Threads threads(3);
  const std::int64_t rows = 300, n = 150;
  const auto x = random_bits<std::int32_t>(rows * n);
  std::vector<std::int32_t> sorted(x.size());
  // Columns of the memory, backwards, to rows.
  order(Op::sort, Dtype::int32, {rows, n}, operand(x.data() + (n - 1) * rows, Dtype::int32, {4, -4 * rows}),
        operand(sorted.data(), Dtype::int32, {4 * n, 4}), false);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int32_t> want;
    for (std::int64_t i = 0; i < n; ++i) want.push_back(x[static_cast<std::size_t>(i * rows + row)]);
    std::sort(want.begin(), want.end());
    ASSERT_TRUE(std::equal(want.begin(), want.end(), sorted.begin() + row * n)) << row;
  }
}

TEST(Ordering, UnalignedRows) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{500}}) {
    auto x = random_bits<std::int64_t>(static_cast<std::int64_t>(n));
    std::vector<std::byte> from(8 * n + 1), to(8 * n + 3);
    std::memcpy(from.data() + 1, x.data(), 8 * n);
    order(Op::sort, Dtype::int64, {static_cast<std::int64_t>(n)}, operand(from.data() + 1, Dtype::int64, {8}),
          operand(to.data() + 3, Dtype::int64, {8}), false);
    std::sort(x.begin(), x.end());
    EXPECT_EQ(std::memcmp(to.data() + 3, x.data(), 8 * n), 0);
  }
}

TEST(Ordering, ComplexByRealThenImaginaryPartThenNan) {
  const double nan = NAN;
  const std::vector<Complex128> sorted{{-1, 5},   {0, -2},  {-0.0, 3}, {2, -7},  {2, 1},
                                       {-9, nan}, {4, nan}, {nan, -1}, {nan, 8}, {nan, nan}};
  const auto size = static_cast<std::int64_t>(sorted.size());
  for (std::int64_t step : {1, 3, 7, 9}) {
    std::vector<Complex128> x(sorted.size());
    std::vector<std::int64_t> places(sorted.size()), indices(sorted.size());
    for (std::int64_t i = 0; i < size; ++i) {
      places[static_cast<std::size_t>(i)] = i * step % size;
      x[static_cast<std::size_t>(i * step % size)] = sorted[static_cast<std::size_t>(i)];
    }
    order(Op::argsort, Dtype::complex128, {size}, contiguous(x, {size}), contiguous(indices, {size}), false);
    EXPECT_EQ(indices, places);
    order(Op::argsort, Dtype::complex128, {size}, contiguous(x, {size}), contiguous(indices, {size}), true);
    std::reverse(indices.begin(), indices.end());
    EXPECT_EQ(indices, places);
  }
}

TEST(Searchsorted, AgreesWithTheStandardLibrary) {
  const Threads threads(3);
  for (const std::int64_t size : {0, 1, 2, 3, 100, 5000}) {
    for (const std::int64_t count : {1, 63, 64, 20'000}) {
      auto sorted = random_bits<std::int32_t>(size, 0xfff);
      std::sort(sorted.begin(), sorted.end());
      const auto values = random_bits<std::int32_t>(count, 0xfff);
      for (const bool right : {false, true}) {
        std::vector<std::int64_t> places(values.size());
        Launch launch;
        launch.op = Op::searchsorted;
        launch.dtype = Dtype::int32;
        launch.shape = {count};
        launch.noperands = 3;
        launch.operands[0] = operand(sorted.data(), Dtype::int32, {0});
        launch.operands[1] = contiguous(values, launch.shape);
        launch.operands[2] = contiguous(places, launch.shape);
        launch.integers = {size, 4, right};
        native::kernels().find(Op::searchsorted, Dtype::int32)(launch);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto place = right ? std::upper_bound(sorted.begin(), sorted.end(), values[i])
                                   : std::lower_bound(sorted.begin(), sorted.end(), values[i]);
          ASSERT_EQ(places[i], place - sorted.begin()) << size << " " << values[i];
        }
      }
    }
  }
}

}  // namespace
}  // namespace crossdock::testing
