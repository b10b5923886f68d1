// Reductions: values, accuracy, and every choice of kept and reduced dimensions.
#include <cmath>
#include <numeric>

#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

template <class R, class T>
R reduce_all(Op op, const std::vector<T>& x, Dtype dtype = dtype_of<T>, Dtype output = dtype_of<R>) {
  R r{};
  const Dims shape{static_cast<std::int64_t>(x.size())};
  launch(op, dtype, shape, {contiguous(x, shape, dtype), operand(&r, output, {0})}, 1);
  return r;
}

TEST(Reduction, LongSumsAreAccurate) {
  EXPECT_NEAR(reduce_all<float>(Op::sum, std::vector<float>(10'000'000, 0.1f)), 1e6, 0.1);
  EXPECT_NEAR(reduce_all<double>(Op::sum, std::vector<double>(1'000'000, 0.1)), 1e5, 1e-9);
  const std::vector<Float16> halves(65536, functors::to_float16(0.5f));
  EXPECT_EQ(functors::to_float(reduce_all<Float16>(Op::sum, halves)), 32768);
}

TEST(Reduction, IntegersWrapAndWiden) {
  EXPECT_EQ((reduce_all<std::int8_t>(Op::sum, std::vector<std::int8_t>(300, 1))), 44);
  EXPECT_EQ((reduce_all<std::int64_t>(Op::sum, std::vector<std::int8_t>(300, -100))), -30'000);
  EXPECT_EQ((reduce_all<std::int64_t>(Op::prod, std::vector<std::int64_t>{3, -5, 7})), -105);
  EXPECT_EQ((reduce_all<std::int64_t>(Op::sum, std::vector<std::uint8_t>{0, 2, 255, 1}, Dtype::bool_)), 3);
}

TEST(Reduction, NanWins) {
  std::vector<float> x(5000);
  std::iota(x.begin(), x.end(), -100.0f);
  EXPECT_EQ(reduce_all<float>(Op::max, x), 4899);
  EXPECT_EQ((reduce_all<std::int64_t>(Op::argmin, x)), 0);
  x[3000] = x[4000] = NAN;
  for (const Op op : {Op::max, Op::min}) EXPECT_TRUE(std::isnan(reduce_all<float>(op, x)));
  for (const Op op : {Op::argmax, Op::argmin}) EXPECT_EQ((reduce_all<std::int64_t>(op, x)), 3000);
  EXPECT_EQ(reduce_all<float>(Op::max, std::vector<float>(100, -INFINITY)), -INFINITY);
}

TEST(Reduction, FirstOccurrence) {
  std::vector<std::int32_t> x(300'000, 5);
  x[123'456] = x[234'567] = 9;
  EXPECT_EQ((reduce_all<std::int64_t>(Op::argmax, x)), 123'456);
  EXPECT_EQ((reduce_all<std::int64_t>(Op::argmin, x)), 0);
}

TEST(Reduction, AnyAndAllOfEveryDtype) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    std::vector<std::byte> x(static_cast<std::size_t>(40 * itemsize(dtype)));
    std::uint8_t r = 9;
    const auto run = [&](Op op) {
      launch(op, dtype, {40}, {operand(x.data(), dtype, {itemsize(dtype)}), operand(&r, Dtype::bool_, {0})}, 1);
      return r;
    };
    EXPECT_EQ(run(Op::any), 0) << name(dtype);
    const std::vector<float> one{1};
    launch(Op::copy, Dtype::float32, {},
           {operand(one.data(), Dtype::float32, {}), operand(x.data() + 17 * itemsize(dtype), dtype, {})});
    EXPECT_EQ(run(Op::any), 1) << name(dtype);
    EXPECT_EQ(run(Op::all), 0) << name(dtype);
  }
}

TEST(Reduction, EmptyGivesIdentity) {
  std::vector<double> r(3, 7);
  const auto run = [&](Op op) {
    launch(op, Dtype::float64, {3, 0},
           {operand(nullptr, Dtype::float64, {0, 8}), operand(r.data(), Dtype::float64, {8, 0})}, 1);
    return r;
  };
  EXPECT_EQ(run(Op::sum), std::vector<double>(3, 0));
  EXPECT_EQ(run(Op::prod), std::vector<double>(3, 1));
  launch(Op::max, Dtype::float64, {0, 3},
         {operand(nullptr, Dtype::float64, {24, 8}), operand(nullptr, Dtype::float64, {8, 0})}, 1);
}

// Every order of three dimensions in memory, and every number of them reduced; threads do not change the result.
TEST(Reduction, AnyDimensionsAndStrides) {
  const int before = num_threads();
  const std::int64_t extents[3] = {37, 61, 113};
  std::vector<std::int32_t> x(static_cast<std::size_t>(37 * 61 * 113));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>((i * 2654435761u) % 1000) - 500;
  const std::int64_t memory[3] = {61 * 113 * 4, 113 * 4, 4};
  int order[3] = {0, 1, 2};
  do {
    const Dims shape{extents[order[0]], extents[order[1]], extents[order[2]]};
    const Dims strides{memory[order[0]], memory[order[1]], -memory[order[2]]};
    const std::int32_t* last = x.data() + (shape[2] - 1) * memory[order[2]] / 4;
    for (int reduced = 1; reduced <= 3; ++reduced) {
      std::int64_t outputs = 1;
      for (int dim = 0; dim < 3 - reduced; ++dim) outputs *= shape[dim];
      Dims output_strides = contiguous_strides(Dims(shape.data(), 3 - reduced), 8);
      output_strides.resize(3, 0);
      std::vector<std::int64_t> sums(static_cast<std::size_t>(outputs)), places(sums.size()), want(sums.size()),
          where(sums.size());
      std::vector<std::int32_t> bests(sums.size(), std::numeric_limits<std::int32_t>::min());
      for (std::int64_t i = 0, flat = 0; i < shape[0]; ++i)
        for (std::int64_t j = 0; j < shape[1]; ++j)
          for (std::int64_t k = 0; k < shape[2]; ++k, ++flat) {
            const std::int64_t count = shape[0] * shape[1] * shape[2] / outputs;
            const auto group = static_cast<std::size_t>(flat / count);
            const std::int32_t value = last[(i * strides[0] + j * strides[1] + k * strides[2]) / 4];
            want[group] += value;
            if (value > bests[group]) bests[group] = value, where[group] = flat % count;
          }
      for (const int threads : {1, 3}) {
        set_num_threads(threads);
        const Operand input = operand(last, Dtype::int32, strides);
        launch(Op::sum, Dtype::int32, shape, {input, operand(sums.data(), Dtype::int64, output_strides)}, reduced);
        launch(Op::argmax, Dtype::int32, shape, {input, operand(places.data(), Dtype::int64, output_strides)}, reduced);
        ASSERT_EQ(sums, want) << reduced;
        ASSERT_EQ(places, where) << reduced;
      }
    }
  } while (std::next_permutation(order, order + 3));
  set_num_threads(before);
}

TEST(Reduction, UnalignedInput) {
  std::vector<std::byte> memory(4 * 1000 + 1);
  const std::vector<float> ones(1000, 1);
  std::memcpy(memory.data() + 1, ones.data(), 4000);
  float r = 0;
  launch(Op::sum, Dtype::float32, {1000},
         {operand(memory.data() + 1, Dtype::float32, {4}), operand(&r, Dtype::float32, {0})}, 1);
  EXPECT_EQ(r, 1000);
}

}  // namespace
}  // namespace crossdock::testing
