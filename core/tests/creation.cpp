#include "crossdock/ops/creation.h"

#include <cmath>
#include <limits>
#include <vector>

#include "arrays.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Values = std::vector<double>;

TEST(CreateFull, FillsEveryDtype) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (int i = 0; i < kDtypeCount; ++i) {
      const auto dtype = static_cast<Dtype>(i);
      const Array out = full({2, 3}, {std::int64_t{1}}, dtype, device);
      EXPECT_EQ(out.dtype(), dtype);
      EXPECT_EQ(test::numbers(out), Values(6, 1)) << name(dtype);
      EXPECT_TRUE(out.is_c_contiguous());
    }
    EXPECT_EQ(test::numbers(full({}, {2.5}, Dtype::float32, device)), Values{2.5});
    EXPECT_EQ(full({0, 3}, {2.5}, Dtype::float32, device).size(), 0);
    EXPECT_EQ(test::numbers(full({50'000}, {std::int64_t{-3}}, Dtype::int16, device)), Values(50'000, -3));
    EXPECT_THROW(full({2}, {2.5}, Dtype::int32, device), DtypeError);
    EXPECT_THROW(full({0}, {std::int64_t{300}}, Dtype::int8, device), OverflowError);  // even when nothing is written
    EXPECT_THROW(full({-1}, {2.5}, Dtype::float32, device), DimensionError);
  }
}

Scalar integer(std::int64_t value) { return {value}; }
Scalar real(double value) { return {value}; }

TEST(CreateArange, CountsIntegersWithoutOverflow) {
  struct Case {
    std::int64_t start, stop, step;
    std::vector<std::int64_t> values;
  };
  const Case cases[] = {
      {0, 3, 1, {0, 1, 2}},
      {0, -3, -1, {0, -1, -2}},
      {0, 7, 3, {0, 3, 6}},
      {0, 6, 3, {0, 3}},
      {5, 5, 1, {}},
      {5, 0, 1, {}},
      {0, 5, -1, {}},
      {INT64_MAX - 2, INT64_MAX, 1, {INT64_MAX - 2, INT64_MAX - 1}},
      {INT64_MIN, INT64_MAX, INT64_MAX, {INT64_MIN, -1, INT64_MAX - 1}},
      {INT64_MAX, INT64_MIN, INT64_MIN, {INT64_MAX, -1}},
      {INT64_MIN, INT64_MIN + 2, 1, {INT64_MIN, INT64_MIN + 1}},
      {0, INT64_MIN, INT64_MIN, {0}},
  };
  for (const auto& spec : test::kDevices) {
    for (const Case& c : cases) {
      const Array out = arange(integer(c.start), integer(c.stop), integer(c.step), {}, test::device(spec));
      EXPECT_EQ(test::bytes_as<std::int64_t>(out), c.values) << c.start << ' ' << c.stop << ' ' << c.step;
    }
    EXPECT_THROW(arange(integer(INT64_MIN), integer(INT64_MAX), integer(1), {}, test::device(spec)), DimensionError);
    EXPECT_THROW(arange(integer(0), integer(INT64_MAX), integer(1), Dtype::int8, test::device(spec)), OutOfMemoryError);
  }
}

TEST(CreateArange, TakesDtypesAndReals) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (int i = static_cast<int>(Dtype::int8); i <= static_cast<int>(Dtype::float64); ++i) {
      const Array out = arange(integer(1), integer(6), integer(2), static_cast<Dtype>(i), device);
      EXPECT_EQ(test::numbers(out), (Values{1, 3, 5}));
      EXPECT_EQ(out.dtype(), static_cast<Dtype>(i));
    }
    EXPECT_EQ(test::numbers(arange(real(0), real(1), real(0.25), {}, device)), (Values{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(test::numbers(arange(real(1), integer(0), real(-0.5), {}, device)), (Values{1, 0.5}));
    EXPECT_EQ(test::numbers(arange(real(0.5), integer(3), integer(1), Dtype::int32, device)), (Values{0, 1, 2}));
    EXPECT_EQ(arange(integer(0), real(2), integer(1), {}, device).dtype(), Dtype::float64);
    EXPECT_EQ(arange({false}, {true}, {true}, {}, device).size(), 1);
    EXPECT_EQ(arange(integer(0), real(-INFINITY), integer(1), {}, device).size(), 0);
    for (const Scalar& bad : {integer(0), real(0), real(NAN)}) {
      EXPECT_THROW(arange(integer(0), integer(3), bad, {}, device), ValueError);
    }
    EXPECT_THROW(arange(integer(0), real(INFINITY), integer(1), {}, device), ValueError);
    EXPECT_THROW(arange(integer(0), real(1e300), integer(1), {}, device), ValueError);
    EXPECT_THROW(arange(integer(0), integer(3), integer(1), Dtype::complex64, device), DtypeError);
    EXPECT_THROW(arange(integer(0), integer(3), integer(1), Dtype::bool_, device), DtypeError);
    EXPECT_THROW(arange(integer(0), {std::complex<double>(3)}, integer(1), {}, device), DtypeError);
    EXPECT_THROW(arange(integer(0), {std::uint64_t{1} << 63}, integer(1), {}, device), OverflowError);
  }
}

TEST(CreateLinspace, EndsWhereItShould) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    EXPECT_EQ(test::numbers(linspace({0.0}, {1.0}, 5, Dtype::float64, true, device)), (Values{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(test::numbers(linspace({0.0}, {1.0}, 4, Dtype::float32, false, device)), (Values{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(test::numbers(linspace({3.0}, {9.0}, 1, Dtype::float64, true, device)), Values{3});
    EXPECT_EQ(linspace({3.0}, {9.0}, 0, Dtype::float64, true, device).size(), 0);
    for (std::int64_t count : {2, 3, 7, 50}) {
      const auto values = test::numbers(linspace({0.1}, {0.7}, count, Dtype::float64, true, device));
      EXPECT_EQ(values.front(), 0.1);
      EXPECT_EQ(values.back(), 0.7);
    }
    EXPECT_THROW(linspace({0.0}, {1.0}, -1, Dtype::float64, true, device), ValueError);
    EXPECT_THROW(linspace({0.0}, {1.0}, 3, Dtype::int32, true, device), DtypeError);
    EXPECT_THROW(linspace({0.0}, {1.0}, INT64_MAX, Dtype::float64, true, device), DimensionError);
  }
}

TEST(CreateEye, HasOnesOnOneDiagonal) {
  for (const auto& spec : test::kDevices) {
    for (std::int64_t rows = 0; rows <= 4; ++rows) {
      for (std::int64_t columns = 0; columns <= 4; ++columns) {
        for (std::int64_t k : {INT64_MIN, std::int64_t{-3}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                               std::int64_t{3}, INT64_MAX}) {
          Values want;
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) want.push_back(j - i == k);
          }
          const Array out = eye(rows, columns, k, Dtype::int16, test::device(spec));
          EXPECT_EQ(out.shape(), (Dims{rows, columns}));
          EXPECT_EQ(test::numbers(out), want) << rows << ' ' << columns << ' ' << k;
        }
      }
    }
    EXPECT_THROW(eye(-1, 2, 0, Dtype::int16, test::device(spec)), DimensionError);
    EXPECT_EQ(eye(0, std::int64_t{1} << 40, 1, Dtype::int16, test::device(spec)).size(), 0);
  }
}

}  // namespace
}  // namespace crossdock
