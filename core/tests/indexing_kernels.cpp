// index_offsets, gather, scatter, nonzero.
#include <numeric>
#include <string>

#include "crossdock/runtime/error.h"
#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

// Some threads while it lives.
class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

Launch make(Op op, Dtype dtype, const Dims& shape, std::initializer_list<Operand> operands,
            std::array<std::int64_t, 4> integers = {}) {
  Launch launch;
  launch.op = op;
  launch.dtype = dtype;
  launch.shape = shape;
  for (const Operand& operand : operands) launch.operands[static_cast<std::size_t>(launch.noperands++)] = operand;
  launch.integers = integers;
  return launch;
}

void run(const Launch& launch) { native::kernels().find(launch.op, launch.dtype)(launch); }

// Offsets from a number of bytes before the data to another after it.
constexpr std::array<std::int64_t, 4> reach(std::int64_t low, std::int64_t high) { return {low, high}; }

Operand none(Dims strides = {}) {
  Operand operand;
  operand.dtype = Dtype::int64;
  operand.strides = std::move(strides);
  return operand;
}

template <class T>
void offsets_of_every_integer() {
  const std::vector<T> index{0, 3, 1};
  const std::vector<std::int64_t> so_far{1000, 2000, 3000};
  std::vector<std::int64_t> out(3);
  run(make(Op::index_offsets, dtype_of<T>, {3}, {contiguous(index, {3}), contiguous(so_far, {3}), contiguous(out, {3})},
           {4, -8, 0}));
  EXPECT_EQ(out, (std::vector<std::int64_t>{1000, 1976, 2992}));
  run(make(Op::index_offsets, dtype_of<T>, {3}, {contiguous(index, {3}), none(), contiguous(out, {3})}, {4, 16, 0}));
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 48, 16}));
  const std::vector<T> outside{0, std::numeric_limits<T>::max(), 1};
  EXPECT_THROW(run(make(Op::index_offsets, dtype_of<T>, {3}, {contiguous(outside, {3}), none(), contiguous(out, {3})},
                        {4, 16, 0})),
               IndexError);
}

TEST(IndexOffsets, TakesEveryInteger) {
  offsets_of_every_integer<std::int8_t>();
  offsets_of_every_integer<std::int16_t>();
  offsets_of_every_integer<std::int32_t>();
  offsets_of_every_integer<std::int64_t>();
  offsets_of_every_integer<std::uint8_t>();
  offsets_of_every_integer<std::uint16_t>();
  offsets_of_every_integer<std::uint32_t>();
  offsets_of_every_integer<std::uint64_t>();
}

TEST(IndexOffsets, NamesTheFirstThatIsOutside) {
  for (const std::int64_t wrong : {std::int64_t{4}, std::int64_t{-5}, INT64_MIN, INT64_MAX}) {
    std::vector<std::int64_t> index(100, -4), out(100);
    index[70] = wrong;
    index[71] = 99;
    try {
      run(make(Op::index_offsets, Dtype::int64, {100}, {contiguous(index, {100}), none(), contiguous(out, {100})},
               {4, 8, 2}));
      FAIL();
    } catch (const IndexError& error) {
      EXPECT_EQ(error.what(), "index " + std::to_string(wrong) + " is out of bounds for axis 2 with size 4");
    }
  }
}

// Any layout of the output, offsets and data, against one element after the other.
TEST(Gather, EverySizeAndLayout) {
  for (const Dtype dtype : {Dtype::bool_, Dtype::float16, Dtype::float32, Dtype::int64, Dtype::complex128}) {
    const std::int64_t s = itemsize(dtype), rows = 37, columns = 11, count = 23;
    std::vector<std::byte> data(static_cast<std::size_t>(rows * columns * s));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
    std::vector<std::int64_t> picks(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < picks.size(); ++i) picks[i] = static_cast<std::int64_t>(i * i % 11);
    // out[i][j]: row picks[i] of a (columns, rows) or (rows, columns) array, column j; the output in C or F order.
    for (const bool c_order : {true, false}) {
      for (const bool by_rows : {true, false}) {
        const std::int64_t row_stride = by_rows ? columns * s : s, column_stride = by_rows ? s : columns * s;
        const std::int64_t width = by_rows ? columns : rows;
        std::vector<std::int64_t> offsets(picks);
        for (auto& offset : offsets) offset *= row_stride;
        std::vector<std::byte> out(static_cast<std::size_t>(count * width * s));
        const Dims out_strides = c_order ? Dims{width * s, s} : Dims{s, count * s};
        run(make(Op::gather, dtype, {count, width},
                 {operand(data.data(), dtype, {0, column_stride}), operand(offsets.data(), Dtype::int64, {8, 0}),
                  operand(out.data(), dtype, out_strides)},
                 reach(0, row_stride * 10)));
        for (std::int64_t i = 0; i < count; ++i) {
          for (std::int64_t j = 0; j < width; ++j) {
            const auto* want = data.data() + picks[static_cast<std::size_t>(i)] * row_stride + j * column_stride;
            ASSERT_EQ(
                std::memcmp(out.data() + i * out_strides[0] + j * out_strides[1], want, static_cast<std::size_t>(s)),
                0);
          }
        }
      }
    }
  }
}

// Indexes in the place of offsets: of any dtype and stride, in blocks and on several threads.
template <class T>
void gather_and_scatter_by_index(std::int64_t step) {
  const auto n = std::int64_t{100'000}, extent = std::int64_t{101};
  std::vector<T> index(static_cast<std::size_t>(n * step));
  std::vector<std::int32_t> data(static_cast<std::size_t>(extent)), out(static_cast<std::size_t>(n)), want(out),
      target(data), stays(data), values(out);
  std::iota(data.begin(), data.end(), 1000);
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto place = i * i % 101;
    const bool negative = std::is_signed_v<T> && i % 3 == 0;
    index[i * static_cast<std::size_t>(step)] =
        static_cast<T>(negative ? static_cast<int>(place) - 101 : static_cast<int>(place));
    want[i] = data[place];
    stays[place] = values[i];
  }
  const Operand places = operand(index.data(), dtype_of<T>, {step * static_cast<std::int64_t>(sizeof(T))});
  run(make(Op::gather, Dtype::int32, {n}, {operand(data.data(), Dtype::int32, {0}), places, contiguous(out, {n})},
           {extent, 4, 0, 1}));
  EXPECT_EQ(out, want);
  const Operand to = operand(target.data(), Dtype::int32, {0});
  run(make(Op::scatter, Dtype::int32, {n}, {contiguous(values, {n}), places, to}, {extent, 4, 0, 1}));
  EXPECT_EQ(target, stays);
  index[static_cast<std::size_t>((n - 1) * step)] = 101;
  const auto before = target;
  EXPECT_THROW(run(make(Op::scatter, Dtype::int32, {n}, {operand(data.data(), Dtype::int32, {0}), places, to},
                        {extent, 4, 0, 1})),
               IndexError);
  EXPECT_EQ(target, before);
}

TEST(Gather, AndScatterByIndexesOfEveryInteger) {
  const Threads threads(4);
  for (const std::int64_t step : {1, 3}) {
    gather_and_scatter_by_index<std::int8_t>(step);
    gather_and_scatter_by_index<std::int16_t>(step);
    gather_and_scatter_by_index<std::int32_t>(step);
    gather_and_scatter_by_index<std::int64_t>(step);
    gather_and_scatter_by_index<std::uint8_t>(step);
    gather_and_scatter_by_index<std::uint16_t>(step);
    gather_and_scatter_by_index<std::uint32_t>(step);
    gather_and_scatter_by_index<std::uint64_t>(step);
  }
}

TEST(Gather, LongRowsOnSeveralThreads) {
  const Threads threads(4);
  const std::int64_t width = 100'000;
  std::vector<float> data(static_cast<std::size_t>(3 * width)), out(static_cast<std::size_t>(2 * width));
  std::iota(data.begin(), data.end(), 0.0f);
  const std::vector<std::int64_t> offsets{2 * width * 4, 0};
  run(make(Op::gather, Dtype::float32, {2, width},
           {operand(data.data(), Dtype::float32, {0, 4}), operand(offsets.data(), Dtype::int64, {8, 0}),
            contiguous(out, {2, width})},
           reach(0, 2 * width * 4)));
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + width, data.begin() + 2 * width));
  EXPECT_TRUE(std::equal(out.begin() + width, out.end(), data.begin()));
}

// Values 0, 1, 2, ... go to few places, by several threads: the last one must stay, whatever the layout.
void scatter_repeatedly(Dtype dtype, const Dims& target_strides, std::int64_t place_stride, std::int64_t count,
                        std::int64_t width, bool places_last) {
  const std::int64_t places = 5, s = itemsize(dtype);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<std::int64_t>((i * 2654435761u) % places) * place_stride;
  }
  std::vector<std::byte> values(static_cast<std::size_t>(count * width * s));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i * 31 + i / 256 + i / 65536);
  std::vector<std::byte> got(static_cast<std::size_t>(places * width * s)), want(got);
  const Dims shape = places_last ? Dims{width, count} : Dims{count, width};
  const Dims strides = contiguous_strides(shape, static_cast<int>(s));
  const int moves = places_last ? 1 : 0;
  Dims offset_strides(2);
  offset_strides[moves] = 8;
  run(make(Op::scatter, dtype, shape,
           {operand(values.data(), dtype, strides), operand(offsets.data(), Dtype::int64, offset_strides),
            operand(got.data(), dtype, target_strides)},
           reach(0, (places - 1) * place_stride)));
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      std::memcpy(want.data() + offsets[static_cast<std::size_t>(i)] + j * target_strides[1 - moves],
                  values.data() + i * strides[moves] + j * strides[1 - moves], static_cast<std::size_t>(s));
    }
  }
  EXPECT_EQ(got, want);
}

TEST(Scatter, TheLastOfRepeatedPlacesStays) {
  const Threads threads(4);
  for (const Dtype dtype : {Dtype::uint8, Dtype::int16, Dtype::float32, Dtype::float64, Dtype::complex128}) {
    const std::int64_t s = itemsize(dtype);
    for (const auto& [count, width] : {std::pair<std::int64_t, std::int64_t>{100'000, 1}, {3000, 40}, {50, 9000}}) {
      scatter_repeatedly(dtype, {0, s}, width * s, count, width, false);  // rows of the target
      scatter_repeatedly(dtype, {5 * s, 0}, s, count, width, true);       // columns of the target
      scatter_repeatedly(dtype, {0, 5 * s}, s, count, width, false);
      scatter_repeatedly(dtype, {s, 0}, width * s, count, width, true);
    }
  }
}

TEST(Scatter, TargetsThatRunBackwards) {
  std::vector<std::int32_t> target(12), values(6);
  std::iota(values.begin(), values.end(), 1);
  const std::vector<std::int64_t> offsets{-4 * 4, -8 * 4};
  run(make(Op::scatter, Dtype::int32, {2, 3},
           {contiguous(values, {2, 3}), operand(offsets.data(), Dtype::int64, {8, 0}),
            operand(target.data() + 11, Dtype::int32, {0, -4})},
           reach(-8 * 4, 0)));
  EXPECT_EQ(target, (std::vector<std::int32_t>{0, 6, 5, 4, 0, 3, 2, 1, 0, 0, 0, 0}));
}

TEST(Scatter, OneValueToMany) {
  std::vector<double> target(10);
  const std::vector<double> value{7};
  const std::vector<std::int64_t> offsets{0, 8 * 9, 8 * 4};
  run(make(Op::scatter, Dtype::float64, {3},
           {operand(value.data(), Dtype::float64, {0}), contiguous(offsets, {3}),
            operand(target.data(), Dtype::float64, {0})},
           reach(0, 8 * 9)));
  EXPECT_EQ(target, (std::vector<double>{7, 0, 0, 0, 7, 0, 0, 0, 0, 7}));
}

// As there are where what was to write them has failed, and the failure was told since.
TEST(Places, OffsetsThatLeadOutsideAreRefused) {
  for (const std::int64_t wrong : {std::int64_t{-8}, std::int64_t{8 * 1000}, INT64_MIN, INT64_MAX}) {
    for (const std::int64_t width : {1, 3}) {
      std::vector<double> there(static_cast<std::size_t>(1000 * width)), apart(there.size(), 5);
      std::vector<std::int64_t> offsets(1000);
      offsets[900] = wrong;
      const Operand places = operand(offsets.data(), Dtype::int64, {8, 0});
      const Operand with_places = operand(there.data(), Dtype::float64, {0, 8000});
      const Operand plain = operand(apart.data(), Dtype::float64, {8 * width, 8});
      const Dims shape{1000, width};
      EXPECT_THROW(run(make(Op::gather, Dtype::float64, shape, {with_places, places, plain}, reach(0, 7992))),
                   IndexError);
      EXPECT_THROW(run(make(Op::scatter, Dtype::float64, shape, {plain, places, with_places}, reach(0, 7992))),
                   IndexError);
      EXPECT_EQ(there, std::vector<double>(there.size()));
    }
  }
}

std::vector<std::int64_t> nonzero(const Operand& mask, const Dims& shape, const Dims& steps, std::int64_t count) {
  // One more place on each side, which must not be written.
  std::vector<std::int64_t> out(static_cast<std::size_t>(count) + 2, -1);
  run(make(Op::nonzero, Dtype::bool_, shape, {mask, none(steps), operand(out.data() + 1, Dtype::int64, {8})}, {count}));
  EXPECT_EQ(out.front(), -1);
  EXPECT_EQ(out.back(), -1);
  return {out.begin() + 1, out.end() - 1};
}

TEST(Nonzero, EveryLayoutOnSeveralThreads) {
  const Threads threads(4);
  const std::int64_t rows = 1021, columns = 1031;
  for (const std::uint32_t density : {0u, 3u, 128u, 256u}) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(rows * columns));
    std::uint32_t random = 1;
    for (auto& element : mask) {
      random = random * 1664525 + 1013904223;
      element = (random >> 24) < density ? static_cast<std::uint8_t>(1 + (random & 0x7e)) : 0;  // any byte but 0
    }
    for (const bool transposed : {false, true}) {
      const Dims shape = transposed ? Dims{columns, rows} : Dims{rows, columns};
      const Dims strides = transposed ? Dims{1, columns} : Dims{columns, 1};
      std::vector<std::int64_t> numbers, negative;
      for (std::int64_t i = 0; i < shape[0]; ++i) {
        for (std::int64_t j = 0; j < shape[1]; ++j) {
          if (!mask[static_cast<std::size_t>(i * strides[0] + j * strides[1])]) continue;
          numbers.push_back(i * shape[1] + j);
          negative.push_back(i * -100 + j * 3);
        }
      }
      const auto count = static_cast<std::int64_t>(numbers.size());
      const Operand argument = operand(mask.data(), Dtype::bool_, strides);
      EXPECT_EQ(nonzero(argument, shape, {shape[1], 1}, count), numbers);
      EXPECT_EQ(nonzero(argument, shape, {-100, 3}, count), negative);
    }
  }
}

TEST(Nonzero, StaysInItsRoomWhenTheMaskHasChanged) {
  const std::vector<std::uint8_t> full(1'000'000, 1);
  const Operand mask = operand(full.data(), Dtype::bool_, {1});
  for (const int threads : {1, 4}) {
    const Threads some(threads);
    EXPECT_EQ(nonzero(mask, {1'000'000}, {1}, 3), (std::vector<std::int64_t>{0, 1, 2}));
    const auto more = nonzero(mask, {1000}, {1}, 1002);
    EXPECT_EQ(more[999], 999);
    EXPECT_EQ(more[1001], 0);
  }
}

}  // namespace
}  // namespace crossdock::testing
