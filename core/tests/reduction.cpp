#include "crossdock/ops/reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Values = std::vector<double>;

// What is reduced into each element of the result, in C order.
std::vector<Values> groups(const Array& array, unsigned subset) {
  Dims kept;
  for (int i = 0; i < array.ndim(); ++i) kept.push_back(subset >> i & 1 ? 1 : array.shape()[i]);
  std::int64_t count = 1;
  for (auto extent : kept) count *= extent;
  std::vector<Values> out(static_cast<std::size_t>(count));
  const auto values = test::numbers(array);
  std::size_t at = 0;
  test::for_each_index(array.shape(), [&](const Dims& index) {
    std::int64_t place = 0;
    for (int i = 0; i < kept.size(); ++i) place = place * kept[i] + (kept[i] == 1 ? 0 : index[i]);
    out[static_cast<std::size_t>(place)].push_back(values[at++]);
  });
  return out;
}

double reduced(Op op, const Values& values) {
  switch (op) {
    case Op::sum: {
      double total = 0;
      for (double v : values) total += v;
      return total;
    }
    case Op::prod: {
      double total = 1;
      for (double v : values) total *= v;
      return total;
    }
    case Op::max:
      return *std::max_element(values.begin(), values.end());
    case Op::min:
      return *std::min_element(values.begin(), values.end());
    case Op::any:
      return std::any_of(values.begin(), values.end(), [](double v) { return v != 0; });
    default:
      return std::all_of(values.begin(), values.end(), [](double v) { return v != 0; });
  }
}

// Small numbers, both signs, some zeros: sums and products are exact.
Array some(Device& device, const Dims& shape, Dtype dtype) {
  Values values(static_cast<std::size_t>(checked_size(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7 + 3) % 5) - 2;
  return test::make(device, shape, dtype, values);
}

TEST(Reduce, OverEverySubsetOfAxes) {
  const std::vector<Dims> shapes = {{}, {1}, {5}, {2, 3, 2}, {1, 3, 1}, {3, 0, 2}, {0}, {2, 1, 3, 2}};
  for (const auto& spec : test::kDevices) {
    for (const Dims& shape : shapes) {
      for (Dtype dtype : {Dtype::int16, Dtype::float32}) {
        const Array base = some(test::device(spec), shape, dtype);
        for (const Array& array : {base, transpose(base), flip(base, std::nullopt)}) {
          for (unsigned subset = 0; subset < 1u << array.ndim(); ++subset) {
            Dims axes, kept, dropped;
            bool empty = false;
            for (int i = 0; i < array.ndim(); ++i) {
              const bool goes = subset >> i & 1;
              if (goes) axes.push_back(i % 2 ? i : i - array.ndim());
              empty |= goes && array.shape()[i] == 0;
              kept.push_back(goes ? 1 : array.shape()[i]);
              if (!goes) dropped.push_back(array.shape()[i]);
            }
            for (Op op : {Op::sum, Op::prod, Op::max, Op::min, Op::any, Op::all}) {
              SCOPED_TRACE(spec + ' ' + std::string(name(op)) + to_string(array.shape()) + to_string(axes));
              if (empty && (op == Op::max || op == Op::min)) {
                EXPECT_THROW(reduce(op, array, axes, false), ValueError);
                continue;
              }
              Values want;
              for (const Values& group : groups(array, subset)) want.push_back(reduced(op, group));
              const Array keeping = reduce(op, array, axes, true), dropping = reduce(op, array, axes, false);
              EXPECT_EQ(keeping.shape(), kept);
              EXPECT_EQ(dropping.shape(), dropped);
              EXPECT_EQ(test::numbers(keeping), want);
              ASSERT_EQ(test::numbers(dropping), want);
              EXPECT_EQ(&dropping.device(), &array.device());
            }
          }
          const auto all = reduce(Op::sum, array, std::nullopt, false);
          EXPECT_EQ(all.ndim(), 0);
          EXPECT_EQ(test::numbers(all), Values{reduced(Op::sum, test::numbers(array))});
        }
      }
    }
  }
}

TEST(Reduce, AddsUpInADtypeThatIsWideEnough) {
  using enum Dtype;
  Device& native = test::device("native:0");
  const auto of = [&](Op op, Dtype dtype, std::optional<Dtype> wanted = {}) {
    return reduce(op, some(native, {3}, dtype == uint8 || dtype == uint64 || dtype == bool_ ? float32 : dtype), {},
                  false, wanted)
        .dtype();
  };
  EXPECT_EQ(of(Op::sum, int8), int64);
  EXPECT_EQ(of(Op::prod, int64), int64);
  EXPECT_EQ(of(Op::sum, float16), float16);
  EXPECT_EQ(of(Op::sum, complex64), complex64);
  EXPECT_EQ(of(Op::sum, float32, float64), float64);
  EXPECT_EQ(of(Op::sum, int8, int8), int8);
  EXPECT_EQ(of(Op::max, int8), int8);
  EXPECT_EQ(of(Op::any, float32), bool_);
  const Array bytes = test::make(native, {3}, std::vector<std::uint8_t>{255, 255, 255});
  EXPECT_EQ(reduce(Op::sum, bytes, {}, false).dtype(), uint64);
  EXPECT_EQ(test::numbers(reduce(Op::sum, bytes, {}, false)), Values{765});
  EXPECT_EQ(test::numbers(reduce(Op::prod, bytes, {}, false)), Values{16581375});
}

TEST(Reduce, SaysWhatIsWrong) {
  Device& native = test::device("native:0");
  const Array array = some(native, {2, 3}, Dtype::float32),
              flags = test::make(native, {2}, std::vector<bool>{true, false});
  EXPECT_THROW(reduce(Op::sum, array, Dims{2}, false), IndexError);
  EXPECT_THROW(reduce(Op::sum, array, Dims{-3}, false), IndexError);
  EXPECT_EQ(test::thrown<DimensionError>([&] { reduce(Op::sum, array, Dims{1, -1}, false); }),
            "sum: axis -1 is named twice in (1, -1)");
  EXPECT_EQ(test::numbers(reduce(Op::sum, flags, {}, false)), Values{1});
  EXPECT_THROW(mean(flags, {}, false), DtypeError);
  EXPECT_THROW(reduce(Op::max, flags, {}, false), DtypeError);
  EXPECT_THROW(reduce(Op::max, some(native, {2}, Dtype::complex64), {}, false), DtypeError);
  EXPECT_THROW(reduce(Op::any, some(native, {2}, Dtype::float8_e5m2), {}, false), DtypeError);
  EXPECT_THROW(mean(some(native, {2}, Dtype::int32), {}, false), DtypeError);
  EXPECT_THROW(arg_reduce(Op::argmax, some(native, {0}, Dtype::int32), {}, false), ValueError);
  EXPECT_THROW(arg_reduce(Op::argmax, array, 2, false), IndexError);
  EXPECT_EQ(test::numbers(reduce(Op::any, flags, {}, false)), Values{1});
}

TEST(Reduce, TheFirstExtremeWins) {
  for (const auto& spec : test::kDevices) {
    for (Dtype dtype : {Dtype::int8, Dtype::float32, Dtype::float64}) {
      for (const Dims& shape : {Dims{7}, Dims{3, 4}, Dims{2, 1, 5}, Dims{}}) {
        const Array base = some(test::device(spec), shape, dtype);
        for (const Array& array : {base, transpose(base), flip(base, std::nullopt)}) {
          for (Op op : {Op::argmax, Op::argmin}) {
            const auto first = [&](const Values& v) {
              const auto at =
                  op == Op::argmax ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
              return static_cast<double>(at - v.begin());
            };
            EXPECT_EQ(test::numbers(arg_reduce(op, array, {}, false)), Values{first(test::numbers(array))});
            EXPECT_EQ(arg_reduce(op, array, {}, true).shape(), Dims(array.ndim(), 1));
            for (int axis = 0; axis < array.ndim(); ++axis) {
              Values want;
              for (const Values& group : groups(array, 1u << axis)) want.push_back(first(group));
              const Array out = arg_reduce(op, array, axis - array.ndim(), false);
              EXPECT_EQ(out.dtype(), Dtype::int64);
              EXPECT_EQ(test::numbers(out), want) << spec << to_string(array.shape()) << axis;
            }
          }
        }
      }
    }
  }
}

TEST(Reduce, IgnoresStridesThatNoStepIsTakenBy) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {6}).view({1, 3, 1, 2}, {INT64_MIN, 8, INT64_MAX, 24});
    for (const Dims& axes : {Dims{0}, Dims{2}, Dims{0, 2}}) {
      EXPECT_EQ(test::numbers(reduce(Op::sum, array, axes, false)), (Values{0, 3, 1, 4, 2, 5})) << to_string(axes);
    }
    EXPECT_EQ(test::numbers(reduce(Op::max, array, Dims{1, 2}, false)), (Values{2, 5}));
    EXPECT_EQ(test::numbers(arg_reduce(Op::argmax, array, {}, false)), Values{5});
    EXPECT_EQ(test::numbers(arg_reduce(Op::argmax, array, 0, false)), Values(6, 0));
  }
}

TEST(Reduce, NanWins) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& spec : test::kDevices) {
    for (std::size_t size : {5u, 300u}) {
      Values values(size, 1);
      values[3] = values[size - 1] = nan;
      for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
        const Array array = test::make(test::device(spec), {static_cast<std::int64_t>(size)}, dtype, values);
        for (Op op : {Op::max, Op::min, Op::sum}) {
          EXPECT_TRUE(std::isnan(test::numbers(reduce(op, array, {}, false))[0])) << name(op);
        }
        EXPECT_EQ(test::numbers(arg_reduce(Op::argmax, array, {}, false)), Values{3});
        EXPECT_EQ(test::numbers(arg_reduce(Op::argmin, array, {}, false)), Values{3});
        EXPECT_EQ(test::numbers(reduce(Op::all, array, {}, false)), Values{1});
      }
    }
  }
}

TEST(ReduceMean, DividesByHowManyThereAre) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::complex64}) {
      const Array array = test::make(device, {2, 3}, dtype, {0, 1, 2, 3, 4, 5});
      EXPECT_EQ(mean(array, {}, false).dtype(), dtype);
      EXPECT_EQ(test::numbers(mean(array, {}, false)), Values{2.5});
      EXPECT_EQ(test::numbers(mean(array, Dims{0}, false)), (Values{1.5, 2.5, 3.5}));
      EXPECT_EQ(mean(array, Dims{-1}, true).shape(), (Dims{2, 1}));
    }
    const Array many = test::make(device, {4000}, Dtype::float16, Values(4000, 60));  // their sum is no float16
    EXPECT_EQ(test::numbers(mean(many, {}, false)), Values{60});
    EXPECT_TRUE(std::isnan(test::numbers(mean(some(device, {0}, Dtype::float32), {}, false))[0]));
  }
}

TEST(Reduce, OfManyElements) {
  constexpr std::int64_t kRows = 300, kColumns = 1000;
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {kRows, kColumns});
    for (const Array& view : {array, flip(array, std::nullopt)}) {
      EXPECT_EQ(test::numbers(reduce(Op::sum, view, {}, false)), Values{299999.0 * 150000});
      const auto columns = test::numbers(reduce(Op::max, transpose(view), Dims{0}, false));
      const auto rows = test::numbers(reduce(Op::sum, view, Dims{0}, false));
      EXPECT_EQ(columns[0], &view == &array || view.data() == array.data() ? 999 : 299999);
      EXPECT_EQ(rows[0] + rows[kColumns - 1], 2 * (149.5 * 1000 * 300) + 999 * 300);
    }
    EXPECT_EQ(test::numbers(arg_reduce(Op::argmax, array, {}, false)), Values{299999});
    EXPECT_EQ(test::numbers(arg_reduce(Op::argmin, flip(array, std::nullopt), {}, false)), Values{299999});
  }
}

}  // namespace
}  // namespace crossdock
