// Scans and squared deviations: every layout, in parallel, with accumulators that do not overflow.
#include <cmath>
#include <numeric>

#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

// Sums along each axis of a 3-d array, out of and into strided memory, one by one.
void expect_sums(const Dims& shape, int axis, std::int64_t gap) {
  const std::int64_t size = shape[0] * shape[1] * shape[2];
  std::vector<std::int32_t> x(static_cast<std::size_t>(size * gap));
  std::iota(x.begin(), x.end(), -7);
  std::vector<std::int64_t> r(static_cast<std::size_t>(size), -1);
  Dims order{0, 1, 2};
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  const Dims in = contiguous_strides(shape, static_cast<int>(4 * gap)), out = contiguous_strides(shape, 8);
  const auto ordered = [&](const Dims& dims) {
    return Dims{dims[static_cast<int>(order[0])], dims[static_cast<int>(order[1])], dims[static_cast<int>(order[2])]};
  };
  launch(Op::cumulative_sum, Dtype::int64, ordered(shape),
         {operand(x.data(), Dtype::int32, ordered(in)), operand(r.data(), Dtype::int64, ordered(out))});
  const std::int64_t step = out[axis] / 8;
  for (std::int64_t i = 0; i < size; ++i) {
    const bool first = i / step % shape[axis] == 0;
    const std::int64_t before = first ? 0 : r[static_cast<std::size_t>(i - step)];
    ASSERT_EQ(r[static_cast<std::size_t>(i)], before + x[static_cast<std::size_t>(i * gap)]) << axis << " at " << i;
  }
}

TEST(Scan, EveryAxisAndStep) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const Dims& shape : {Dims{3, 4, 5}, Dims{1, 700, 3}, Dims{2, 40, 600}, Dims{5, 1, 1}, Dims{300, 2, 130}}) {
      for (const std::int64_t gap : {1, 3}) expect_sums(shape, axis, gap);
    }
  }
}

TEST(Scan, ThreadsDoNotChangeTheResult) {
  std::vector<float> x(400 * 900);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  const auto run = [&](const Dims& shape, const Dims& strides) {
    std::vector<float> r(x.size());
    launch(Op::cumulative_sum, Dtype::float32, shape,
           {operand(x.data(), Dtype::float32, strides), operand(r.data(), Dtype::float32, strides)});
    return r;
  };
  const int before = num_threads();
  for (const auto& [shape, strides] : {std::pair{Dims{400, 900}, Dims{3600, 4}}, {Dims{900, 400}, Dims{4, 3600}}}) {
    set_num_threads(1);
    const auto one = run(shape, strides);
    set_num_threads(4);
    EXPECT_EQ(run(shape, strides), one);
  }
  set_num_threads(before);
}

TEST(Scan, WrapsAndWidens) {
  const std::vector<std::int8_t> x(5, 100);
  std::vector<std::int8_t> sums(5), products(5);
  launch(Op::cumulative_sum, Dtype::int8, {5}, {contiguous(x, {5}), contiguous(sums, {5})});
  launch(Op::cumulative_prod, Dtype::int8, {5}, {contiguous(x, {5}), contiguous(products, {5})});
  EXPECT_EQ(sums, (std::vector<std::int8_t>{100, -56, 44, -112, -12}));
  EXPECT_EQ(products, (std::vector<std::int8_t>{100, 16, 64, 0, 0}));
  const std::vector<float> large{3e38f, 3e38f, -3e38f};
  std::vector<float> r(3);
  launch(Op::cumulative_sum, Dtype::float32, {3}, {contiguous(large, {3}), contiguous(r, {3})});
  EXPECT_EQ(r, (std::vector<float>{3e38f, INFINITY, 3e38f}));
  const std::vector<Complex64> turns(4, Complex64{0, 1});
  std::vector<Complex64> powers(4);
  launch(Op::cumulative_prod, Dtype::complex64, {4}, {contiguous(turns, {4}), contiguous(powers, {4})});
  EXPECT_EQ(powers[1].re, -1);
  EXPECT_EQ(powers[3].re, 1);
}

TEST(Scan, OfNothingWritesNothing) {
  const std::vector<double> x(3);
  std::vector<double> r(3, 7.0);
  for (const Dims& shape : {Dims{0}, Dims{3, 0}, Dims{0, 3}}) {
    launch(Op::cumulative_sum, Dtype::float64, shape, {contiguous(x, shape), contiguous(r, shape)});
  }
  EXPECT_EQ(r, std::vector<double>(3, 7.0));
}

double deviations(const std::vector<float>& x, double centre) {
  double r = -1;
  const Dims shape{static_cast<std::int64_t>(x.size())};
  launch(Op::squared_deviations, Dtype::float32, shape,
         {contiguous(x, shape), operand(&centre, Dtype::float64, {0}), operand(&r, Dtype::float64, {0})}, 1);
  return r;
}

TEST(Deviations, TheCentreMayBeOff) {
  EXPECT_EQ(deviations({1, 2, 3, 6}, 3), 14);
  EXPECT_NEAR(deviations({1, 2, 3, 6}, 2.5), 14, 1e-12);
  std::vector<float> x(500'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 1.0f : -1.0f;
  EXPECT_NEAR(deviations(x, 1e-3), 500'000, 1e-6);
  EXPECT_NEAR(deviations(std::vector<float>(1001, 5.0f), 5.1), 0, 1e-12);
  x[77'777] = NAN;
  EXPECT_TRUE(std::isnan(deviations(x, 0)));
}

TEST(Deviations, ByColumnsOnThreads) {
  const Dims shape{700, 900};  // kept, reduced
  std::vector<double> x(700 * 900), centres(700), r(700);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i / 700 % 2) + static_cast<double>(i % 700);
  std::iota(centres.begin(), centres.end(), 0.5);
  const int before = num_threads();
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    launch(Op::squared_deviations, Dtype::float64, shape,
           {operand(x.data(), Dtype::float64, {8, 5600}), operand(centres.data(), Dtype::float64, {8, 0}),
            operand(r.data(), Dtype::float64, {8, 0})},
           1);
    for (const double value : r) EXPECT_EQ(value, 225);
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace crossdock::testing
