// copy, where, arange.
#include <cmath>
#include <cstring>
#include <numeric>

#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

// Small whole numbers are the same in every dtype (int4 has them up to 7).
TEST(Copy, EveryPairOfDtypes) {
  const std::int64_t n = 1037;
  std::vector<double> whole(static_cast<std::size_t>(n)), back(whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 8);
  std::vector<std::byte> first(static_cast<std::size_t>(n * 40)), second(first.size());
  for (int from = 0; from < kDtypeCount; ++from) {
    for (int to = 0; to < kDtypeCount; ++to) {
      for (const std::int64_t step : {1, 2}) {
        const auto a = static_cast<Dtype>(from), b = static_cast<Dtype>(to);
        const Operand x = operand(first.data() + step - 1, a, {itemsize(a) * step + step - 1});
        const Operand y = operand(second.data() + step - 1, b, {itemsize(b) * step + step - 1});
        launch(Op::copy, Dtype::float64, {n}, {contiguous(whole, {n}), x});
        launch(Op::copy, a, {n}, {x, y});
        launch(Op::copy, b, {n}, {y, contiguous(back, {n})});
        const bool logical = a == Dtype::bool_ || b == Dtype::bool_;
        for (std::size_t i = 0; i < whole.size(); ++i) {
          ASSERT_EQ(back[i], logical ? whole[i] != 0 : whole[i]) << name(a) << " to " << name(b) << " at " << i;
        }
      }
    }
  }
}

TEST(Copy, FloatsOutOfRangeAreDefined) {
  const std::vector<double> v{NAN, INFINITY, -INFINITY, 1e300, -1e300, -1.9, 300.7, 4294967295.0};
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ((unary<std::int32_t>(Op::copy, v)),
            (std::vector<std::int32_t>{lowest, lowest, lowest, lowest, lowest, -1, 300, lowest}));
  EXPECT_EQ((unary<std::uint8_t>(Op::copy, v)[6]), 44);
  EXPECT_EQ((unary<std::uint32_t>(Op::copy, v)[7]), 4294967295u);
  EXPECT_EQ((unary<std::uint64_t>(Op::copy, std::vector<float>{1.5e19f, -1})),
            (std::vector<std::uint64_t>{15000000520515485696u, ~std::uint64_t{0}}));
}

TEST(Copy, ComplexAndBool) {
  const std::vector<Complex128> v{{1.5, 2}, {0, 1}, {0, 0}, {NAN, 0}};
  EXPECT_EQ((unary<float>(Op::copy, v)[0]), 1.5f);
  EXPECT_EQ((unary<std::uint8_t>(Op::copy, v, Dtype::bool_)), (std::vector<std::uint8_t>{1, 1, 0, 1}));
  EXPECT_EQ((unary<Complex64>(Op::copy, std::vector<float>{2})[0]), (Complex64{2, 0}));
  const std::vector<std::uint8_t> bools{0, 1, 7, 255};
  std::vector<std::int64_t> r(4);
  launch(Op::copy, Dtype::bool_, {4}, {contiguous(bools, {4}, Dtype::bool_), contiguous(r, {4})});
  EXPECT_EQ(r, (std::vector<std::int64_t>{0, 1, 1, 1}));
}

TEST(Copy, TransposesOfEveryWidthAndLayout) {
  for (const Dtype from : {Dtype::uint8, Dtype::int16, Dtype::float32, Dtype::float64, Dtype::complex128}) {
    for (const Dtype to : {from, Dtype::float64}) {
      if (is_complex(from) && to != from) continue;
      const std::int64_t a = 3, b = 131, c = 70, s = itemsize(from);
      const auto n = static_cast<std::size_t>(a * b * c);
      std::vector<double> numbers(n), back(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(i % 120);
      std::vector<std::byte> x(n * static_cast<std::size_t>(s)), y(n * static_cast<std::size_t>(itemsize(to)));
      launch(Op::copy, Dtype::float64, {static_cast<std::int64_t>(n)},
             {contiguous(numbers, {static_cast<std::int64_t>(n)}), operand(x.data(), from, {s})});
      launch(Op::copy, from, {c, a, b},
             {operand(x.data(), from, {s, b * c * s, c * s}),
              operand(y.data(), to, contiguous_strides({c, a, b}, itemsize(to)))});
      launch(Op::copy, to, {static_cast<std::int64_t>(n)},
             {operand(y.data(), to, {itemsize(to)}), contiguous(back, {static_cast<std::int64_t>(n)})});
      for (std::int64_t i = 0; i < a; ++i)
        for (std::int64_t j = 0; j < b; ++j)
          for (std::int64_t k = 0; k < c; ++k)
            ASSERT_EQ(back[static_cast<std::size_t>((k * a + i) * b + j)],
                      numbers[static_cast<std::size_t>((i * b + j) * c + k)]);
    }
  }
}

// Memory ends where the arrays end: sanitizers see what reads or writes past it.
template <class Check>
void copy_bytes_between(Dtype dtype, const Dims& shape, const Dims& from_strides, std::size_t from_bytes,
                        std::int64_t from_start, const Dims& to_strides, std::size_t to_bytes, Check check) {
  std::vector<std::byte> x(from_bytes), y(to_bytes);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::byte>(i * 7 + i / 251);
  launch(Op::copy, dtype, shape,
         {operand(x.data() + from_start, dtype, from_strides), operand(y.data(), dtype, to_strides)});
  check(x, y);
}

constexpr Dtype kDtypeOfSize[] = {Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64, Dtype::complex128};

TEST(Copy, TransposesAroundTheBordersOfTiles) {
  for (const Dtype dtype : kDtypeOfSize) {
    const std::int64_t s = itemsize(dtype);
    for (const std::int64_t rows : {1, 2, 3, 4, 15, 16, 17, 31, 64, 65, 129, 257, 512}) {
      for (const std::int64_t columns : {2, 3, 4, 7, 16, 33, 64, 127, 128, 300, 1024}) {
        const auto bytes = static_cast<std::size_t>(rows * columns * s);
        copy_bytes_between(dtype, {columns, rows}, {s, columns * s}, bytes, 0, {rows * s, s}, bytes,
                           [&](const auto& x, const auto& y) {
                             for (std::int64_t i = 0; i < rows * columns * s; ++i) {
                               const std::int64_t column = i / s / rows, row = i / s % rows;
                               const auto at = static_cast<std::size_t>((row * columns + column) * s + i % s);
                               ASSERT_EQ(y[static_cast<std::size_t>(i)], x[at])
                                   << rows << " by " << columns << " of " << s << " bytes, at " << i;
                             }
                           });
      }
    }
  }
}

// Rows that are a multiple of 1 KiB apart, and tiles that end within them; target rows on lines of the cache and not.
TEST(Copy, TransposesBatchesThatNoCacheHolds) {
  for (const Dtype dtype : kDtypeOfSize) {
    const std::int64_t s = itemsize(dtype), pitch = 4096, columns = pitch / s - 3, batches = 3;
    for (const std::int64_t rows : {std::int64_t{1536}, std::int64_t{1501}}) {
      const auto bytes = static_cast<std::size_t>(batches * rows * pitch);
      const auto written = static_cast<std::size_t>(batches * columns * rows * s);
      ASSERT_GT(4 * written, std::size_t{64} << 20);  // what is streamed whatever the machine
      copy_bytes_between(dtype, {batches, columns, rows}, {rows * pitch, s, pitch}, bytes, 0,
                         {columns * rows * s, rows * s, s}, written, [&](const auto& x, const auto& y) {
                           std::int64_t wrong = 0;
                           for (std::int64_t i = 0; i < batches * columns; ++i) {
                             for (std::int64_t row = 0; row < rows; ++row) {
                               const std::int64_t from = (i / columns * rows + row) * pitch + i % columns * s;
                               wrong +=
                                   std::memcmp(&y[static_cast<std::size_t>((i * rows + row) * s)],
                                               &x[static_cast<std::size_t>(from)], static_cast<std::size_t>(s)) != 0;
                             }
                           }
                           ASSERT_EQ(wrong, 0) << rows << " rows of " << s << " bytes";
                         });
    }
  }
}

TEST(Copy, StepsReadNothingPastTheLastElement) {
  for (const Dtype dtype : kDtypeOfSize) {
    const std::int64_t s = itemsize(dtype);
    for (const std::int64_t step : {1, 2, 3, 4, 5, 8, -1, -2, -3, -4}) {
      for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 66, 127, 128, 129, 500}) {
        const std::int64_t extent = (n - 1) * std::abs(step) + 1, start = step < 0 ? (extent - 1) * s : 0;
        copy_bytes_between(dtype, {n}, {step * s}, static_cast<std::size_t>(extent * s), start, {s},
                           static_cast<std::size_t>(n * s), [&](const auto& x, const auto& y) {
                             for (std::int64_t i = 0; i < n * s; ++i) {
                               const auto at = static_cast<std::size_t>(start + i / s * step * s + i % s);
                               ASSERT_EQ(y[static_cast<std::size_t>(i)], x[at])
                                   << n << " in steps of " << step << " of " << s << " bytes, at " << i;
                             }
                           });
      }
    }
  }
}

TEST(Copy, RunsOfEveryLength) {
  const std::int64_t a = 5, b = 7;
  for (const Dtype dtype : kDtypeOfSize) {
    const std::int64_t s = itemsize(dtype);
    for (const std::int64_t run : {1, 2, 3, 4, 5, 7, 9, 15, 17, 31, 33, 64, 100}) {
      const std::int64_t nbytes = run * s;
      const auto bytes = static_cast<std::size_t>(a * b * nbytes);
      copy_bytes_between(dtype, {b, a, run}, {nbytes, b * nbytes, s}, bytes, 0, {a * nbytes, nbytes, s}, bytes,
                         [&](const auto& x, const auto& y) {
                           for (std::int64_t i = 0; i < a * b * nbytes; ++i) {
                             const std::int64_t place = i / nbytes, row = place % a, column = place / a;
                             const auto at = static_cast<std::size_t>((row * b + column) * nbytes + i % nbytes);
                             ASSERT_EQ(y[static_cast<std::size_t>(i)], x[at]) << run << " of " << s << " bytes";
                           }
                         });
    }
  }
}

TEST(Copy, SeveralThreadsCopyWhatNoCacheHolds) {
  const int before = num_threads();
  set_num_threads(3);
  const std::int64_t rows = 4100, columns = 4160;
  std::vector<std::uint32_t> x(static_cast<std::size_t>(rows * columns)), y(x.size()), z(x.size());
  std::iota(x.begin(), x.end(), 0u);
  const std::int64_t s = 4;
  launch(Op::copy, Dtype::uint32, {columns, rows},
         {operand(x.data(), Dtype::uint32, {s, columns * s}), contiguous(y, {columns, rows})});
  launch(Op::copy, Dtype::uint32, {rows, columns},
         {operand(y.data(), Dtype::uint32, {s, rows * s}), contiguous(z, {rows, columns})});
  EXPECT_TRUE(x == z);
  launch(Op::copy, Dtype::uint32, {rows * columns}, {contiguous(y, {rows * columns}), contiguous(z, {rows * columns})});
  EXPECT_TRUE(y == z);
  std::vector<float> numbers(x.size());
  launch(Op::copy, Dtype::uint32, {rows * columns},
         {contiguous(x, {rows * columns}), contiguous(numbers, {rows * columns})});
  for (std::size_t i = 0; i < x.size(); i += 997) ASSERT_EQ(numbers[i], static_cast<float>(x[i]));
  // Narrowed on the way, from elements in a row, with gaps, and backwards.
  for (const std::int64_t step : {1, 2, -1, -3, 40}) {
    const std::int64_t taken = columns / std::abs(step), first = step < 0 ? columns - 1 : 0;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * taken));
    launch(Op::copy, Dtype::uint8, {rows, taken},
           {operand(x.data() + first, Dtype::uint32, {columns * s, step * s}), contiguous(bytes, {rows, taken})});
    for (std::int64_t i = 0; i < rows * taken; ++i) {
      const std::int64_t from = i / taken * columns + first + i % taken * step;
      ASSERT_EQ(bytes[static_cast<std::size_t>(i)], static_cast<std::uint8_t>(from)) << step << " " << i;
    }
  }
  set_num_threads(before);
}

TEST(Copy, FillsBroadcastSources) {
  std::vector<std::int16_t> r(100'000);
  const std::vector<double> value{-7.9};
  launch(Op::copy, Dtype::float64, {100, 1000},
         {operand(value.data(), Dtype::float64, {0, 0}), contiguous(r, {100, 1000})});
  EXPECT_EQ(r, std::vector<std::int16_t>(100'000, -7));
  const std::vector<double> column{1, 2};
  launch(Op::copy, Dtype::float64, {2, 3}, {operand(column.data(), Dtype::float64, {8, 0}), contiguous(r, {2, 3})});
  EXPECT_EQ((std::vector<std::int16_t>(r.begin(), r.begin() + 6)), (std::vector<std::int16_t>{1, 1, 1, 2, 2, 2}));
}

TEST(Where, ChoosesBetweenBroadcastOperands) {
  const std::vector<std::uint8_t> condition{0, 1, 2, 0};
  const std::vector<float> a{1, 2, 3, 4}, b{-1};
  std::vector<float> r(4);
  launch(Op::where, Dtype::float32, {4},
         {contiguous(condition, {4}, Dtype::bool_), contiguous(a, {4}), operand(b.data(), Dtype::float32, {0}),
          contiguous(r, {4})});
  EXPECT_EQ(r, (std::vector<float>{-1, 2, 3, -1}));
}

TEST(Arange, OfEveryNumericDtype) {
  for (int number = static_cast<int>(Dtype::int8); number <= static_cast<int>(Dtype::complex128); ++number) {
    const auto dtype = static_cast<Dtype>(number);
    std::vector<std::byte> memory(16 * 50);
    std::vector<double> back(50);
    Launch arange;
    arange.op = Op::arange;
    arange.dtype = dtype;
    arange.shape = {50};
    arange.noperands = 1;
    arange.operands[0] = operand(memory.data(), dtype, {itemsize(dtype)});
    arange.integers = {100, -2};
    arange.scalars = {100, -2};
    native::kernels().find(Op::arange, dtype)(arange);
    launch(Op::copy, dtype, {50}, {arange.operands[0], contiguous(back, {50})});
    for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(back[i], 100.0 - 2.0 * static_cast<double>(i)) << name(dtype);
  }
}

}  // namespace
}  // namespace crossdock::testing
