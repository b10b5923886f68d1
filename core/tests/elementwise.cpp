#include "crossdock/ops/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/array/indexing.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Values = std::vector<double>;

Array apply(Op op, const Argument& a) { return elementwise(op, std::array<Argument, 1>{a}); }
Array apply(Op op, const Argument& a, const Argument& b) { return elementwise(op, std::array<Argument, 2>{a, b}); }

Scalar integer(std::int64_t value) { return {value}; }
Scalar real(double value) { return {value}; }
Scalar complex(double value) { return {std::complex<double>(0, value)}; }

TEST(Elementwise, PromotesAsTheStandard) {
  struct Case {
    Dtype a, b;
    std::optional<Dtype> both;
  };
  using enum Dtype;
  const Case cases[] = {
      {int8, int8, int8},
      {int8, uint8, int16},
      {int32, uint8, int32},
      {uint32, int8, int64},
      {float16, float32, float32},
      {float32, float64, float64},
      {float32, complex64, complex64},
      {float64, complex64, complex128},
      {uint64, int64, {}},
      {int64, float64, {}},
      {bool_, int8, {}},
      {bool_, float32, {}},
      {float8_e5m2, float32, {}},
      {int4, int8, {}},
      {int8, complex64, {}},
  };
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (const Case& c : cases) {
      const Array a = Array::empty({2}, c.a, device), b = Array::empty({2}, c.b, device);
      for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (c.both) {
          EXPECT_EQ(apply(Op::add, x, y).dtype(), *c.both);
        } else {
          EXPECT_THROW(apply(Op::add, x, y), DtypeError) << name(c.a) << ' ' << name(c.b);
        }
      }
    }
  }
}

TEST(Elementwise, TakesPythonNumbersWhereTheyFit) {
  using enum Dtype;
  Device& native = test::device("native:0");
  const auto result = [&](Dtype dtype, const Scalar& scalar) {
    const Array array = test::make(native, {2}, dtype, {0, 1});
    return apply(Op::add, &array, scalar).dtype();
  };
  EXPECT_EQ(result(int8, integer(127)), int8);
  EXPECT_EQ(result(float16, integer(3)), float16);
  EXPECT_EQ(result(float32, real(1e300)), float32);
  EXPECT_EQ(result(float32, complex(1)), complex64);
  EXPECT_EQ(result(float64, complex(1)), complex128);
  EXPECT_EQ(result(complex64, real(1)), complex64);
  EXPECT_EQ(result(uint64, {std::uint64_t{1} << 63}), uint64);
  EXPECT_EQ(result(float32, {1.0, float64}), float64);  // a NumPy scalar has a dtype of its own
  EXPECT_EQ(result(int8, {std::int64_t{1}, int32}), int32);
  for (const auto& [dtype, value] : {std::pair(int8, 128), {int8, -129}, {uint8, -1}, {uint16, 70000}}) {
    EXPECT_THROW(result(dtype, integer(value)), OverflowError) << name(dtype) << value;
  }
  EXPECT_THROW(result(int64, {std::uint64_t{1} << 63}), OverflowError);
  EXPECT_THROW(result(int8, real(1)), DtypeError);
  EXPECT_THROW(result(int8, complex(1)), DtypeError);
  EXPECT_THROW(result(float16, complex(1)), DtypeError);
  EXPECT_THROW(result(int8, {true}), DtypeError);
  EXPECT_THROW(result(float32, {true}), DtypeError);
  EXPECT_THROW(result(bool_, integer(1)), DtypeError);
  EXPECT_THROW(result(int8, {1.0, float64}), DtypeError);
  const std::array<Argument, 2> numbers{integer(1), integer(2)};
  EXPECT_THROW(elementwise(Op::add, numbers), TypeError);
}

TEST(Elementwise, RefusesDtypesThatAnOperationHasNoMeaningFor) {
  using enum Dtype;
  struct Case {
    Op op;
    std::vector<Dtype> refused;
  };
  const Case cases[] = {
      {Op::exp, {bool_, int32, int4}},    {Op::negative, {bool_, float8_e5m2}},
      {Op::floor, {bool_, complex64}},    {Op::bitwise_invert, {float32, complex64}},
      {Op::logical_not, {int8, float32}}, {Op::imag, {float32, int8}},
      {Op::add, {bool_, uint4}},          {Op::divide, {int32, bool_}},
      {Op::less, {bool_, complex128}},    {Op::bitwise_left_shift, {bool_, float64}},
      {Op::maximum, {bool_, complex64}},  {Op::hypot, {int8, complex64}},
      {Op::equal, {int4, float8_e4m3fn}}, {Op::logical_and, {uint8}},
  };
  Device& native = test::device("native:0");
  for (const Case& c : cases) {
    for (Dtype dtype : c.refused) {
      const Array array = Array::empty({2}, dtype, native);
      const std::string text =
          test::thrown<DtypeError>([&] { arity(c.op) == 1 ? apply(c.op, &array) : apply(c.op, &array, &array); });
      EXPECT_EQ(text.find(std::string(name(c.op)) + ": takes "), 0u) << text;
      EXPECT_NE(text.find(name(dtype)), std::string::npos) << text;
    }
  }
}

TEST(Elementwise, Broadcasts) {
  const std::vector<Dims> shapes = {{}, {1}, {3}, {2, 1}, {2, 3}, {1, 3}, {4, 1, 1}, {4, 2, 3}, {0}, {2, 0}, {1, 1, 1}};
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (const Dims& a_shape : shapes) {
      for (const Dims& b_shape : shapes) {
        const Array a = test::count<std::int32_t>(device, a_shape), b = test::count<std::int64_t>(device, b_shape);
        std::optional<Dims> shape;
        try {
          shape = broadcast_shapes(a_shape, b_shape);
        } catch (const DimensionError&) {
          const std::string text = test::thrown<DimensionError>([&] { apply(Op::subtract, &a, &b); });
          EXPECT_EQ(text,
                    "subtract: shapes " + to_string(a_shape) + " and " + to_string(b_shape) + " do not broadcast");
          continue;
        }
        const Array out = apply(Op::subtract, &a, &b);
        const auto x = test::numbers(a.broadcast_to(*shape)), y = test::numbers(b.broadcast_to(*shape));
        Values want(x.size());
        std::transform(x.begin(), x.end(), y.begin(), want.begin(), std::minus<>());
        EXPECT_EQ(out.shape(), *shape);
        EXPECT_TRUE(out.is_c_contiguous());
        EXPECT_EQ(test::numbers(out), want);
      }
    }
  }
}

TEST(Elementwise, ReadsAllLayouts) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count<float>(test::device(spec), {3, 3});
    for (const Array& a : {array, transpose(array), flip(array, std::nullopt), flip(array, Dims{0})}) {
      for (const Array& b : {array, transpose(array), flip(array, Dims{1})}) {
        const auto x = test::numbers(a), y = test::numbers(b);
        Values want(9);
        std::transform(x.begin(), x.end(), y.begin(), want.begin(), std::multiplies<>());
        EXPECT_EQ(test::numbers(apply(Op::multiply, &a, &b)), want);
      }
      const auto x = test::numbers(a);
      Values want(9);
      std::transform(x.begin(), x.end(), want.begin(), std::negate<>());
      EXPECT_EQ(test::numbers(apply(Op::negative, &a)), want);
      std::transform(x.begin(), x.end(), want.begin(), [](double v) { return 10 - v; });
      EXPECT_EQ(test::numbers(apply(Op::subtract, real(10), &a)), want);
    }
  }
}

TEST(Elementwise, StaysOnOneDevice) {
  const Array a = test::count(test::device("native:0"), {2}), b = test::count(test::device("sim:0"), {2}),
              c = test::count(test::device("native:1"), {2});
  try {
    apply(Op::add, &a, &b);
    FAIL();
  } catch (const MixedDevicesError& error) {
    EXPECT_EQ(error.arguments, (std::vector<std::pair<int, std::string>>{{0, "native:0"}, {1, "sim:0"}}));
  }
  EXPECT_THROW(apply(Op::add, &a, &c), MixedDevicesError);
  EXPECT_THROW(elementwise_in_place(Op::add, a, &b), MixedDevicesError);
  EXPECT_EQ(apply(Op::add, &b, integer(1)).device().spec(), "sim:0");
}

TEST(ElementwiseInPlace, ReadsBeforeItWrites) {
  const auto part = [](const Array& x, const Slice& slice) { return index(x, std::vector<Index>{slice}); };
  using View = std::function<Array(const Array&)>;
  const View all = [](const Array& x) { return x; };
  const std::vector<std::pair<View, View>> cases = {
      {all, all},
      {all, [&](const Array& x) { return part(x, {{}, {}, -1}); }},
      {all, [&](const Array& x) { return part(x, {0, 1, {}}); }},  // the same first element and stride, another shape
      {all, [&](const Array& x) { return part(x, {-1, {}, {}}); }},
      {all, [&](const Array& x) { return index(x, std::vector<Index>{std::int64_t{0}}); }},
      {[&](const Array& x) { return part(x, {1, {}, {}}); }, [&](const Array& x) { return part(x, {{}, -1, {}}); }},
      {[&](const Array& x) { return part(x, {{}, -1, {}}); }, [&](const Array& x) { return part(x, {1, {}, {}}); }},
      {[&](const Array& x) { return part(x, {{}, {}, 2}); }, [&](const Array& x) { return part(x, {1, {}, 2}); }},
      {[&](const Array& x) { return part(x, {{}, {}, -1}); }, [&](const Array& x) { return part(x, {0, 1, {}}); }},
  };
  for (const auto& spec : test::kDevices) {
    for (std::int64_t size : {2, 8, 1000, 100'000}) {
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (size > 1000 && (spec != "native:0" || i > 3)) continue;
        std::vector<std::int64_t> start(static_cast<std::size_t>(size));
        for (std::size_t at = 0; at < start.size(); ++at) start[at] = static_cast<std::int64_t>(at + 1);
        const Array array = test::make(test::device(spec), {size}, start);
        const Array out = cases[i].first(array), other = cases[i].second(array);
        const auto x = test::numbers(out), y = test::numbers(other.broadcast_to(out.shape()));
        Values want(x.size());
        std::transform(x.begin(), x.end(), y.begin(), want.begin(), std::plus<>());
        elementwise_in_place(Op::add, out, &other);
        ASSERT_EQ(test::numbers(out), want) << spec << " size " << size << " case " << i;
      }
    }
    const Array matrix = test::count<float>(test::device(spec), {3, 3}), turned = transpose(matrix);
    elementwise_in_place(Op::subtract, matrix, &turned);
    EXPECT_EQ(test::numbers(matrix), (Values{0, -2, -4, 2, 0, -2, 4, 2, 0}));
  }
}

TEST(ElementwiseInPlace, KeepsDtypeAndShape) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const Array array = test::count<float>(device, {2, 3});
    elementwise_in_place(Op::multiply, array, real(2));
    const Array row = test::make(device, {3}, Dtype::float16, {1, 2, 3});
    elementwise_in_place(Op::add, array, &row);
    EXPECT_EQ(test::numbers(array), (Values{1, 4, 7, 7, 10, 13}));
    const Array wide = test::count<double>(device, {3}), tall = test::count<float>(device, {4, 1, 1});
    EXPECT_THROW(elementwise_in_place(Op::add, array, &wide), DtypeError);
    EXPECT_THROW(elementwise_in_place(Op::add, array, complex(1)), DtypeError);
    EXPECT_THROW(elementwise_in_place(Op::add, array, &tall), DimensionError);
    const Array whole = test::count<std::int32_t>(device, {3});
    EXPECT_THROW(elementwise_in_place(Op::divide, whole, integer(2)), DtypeError);
    EXPECT_THROW(elementwise_in_place(Op::less, whole, integer(2)), DtypeError);
    EXPECT_THROW(elementwise_in_place(Op::add, whole, integer(std::int64_t{1} << 31)), OverflowError);
    EXPECT_EQ(test::numbers(array), (Values{1, 4, 7, 7, 10, 13}));
    EXPECT_EQ(test::numbers(whole), (Values{0, 1, 2}));
    const Array repeated = whole.broadcast_to({2, 3});
    EXPECT_THROW(elementwise_in_place(Op::add, repeated, integer(1)), ReadOnlyError);
  }
}

TEST(ElementwiseWhere, ChoosesAndBroadcasts) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const Array condition = test::make(device, {2, 1}, std::vector<bool>{true, false});
    const Array a = test::count<float>(device, {3}), b = test::count<double>(device, {1, 3});
    const Array out = where(&condition, &a, &b);
    EXPECT_EQ(out.dtype(), Dtype::float64);
    EXPECT_EQ(test::numbers(out), (Values{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(test::numbers(where(&condition, integer(7), &a)), (Values{7, 7, 7, 0, 1, 2}));
    EXPECT_EQ(test::numbers(where(Scalar{true}, &a, integer(7))), (Values{0, 1, 2}));
    EXPECT_THROW(where(&a, &a, &a), DtypeError);
    EXPECT_THROW(where(integer(1), &a, &a), DtypeError);
    EXPECT_THROW(where(&condition, integer(1), integer(2)), TypeError);
    EXPECT_THROW(where(&condition, &a, Scalar{true}), DtypeError);
    const Array four = test::count<float>(device, {4});
    EXPECT_THROW(where(&condition, &a, &four), DimensionError);
    const Array elsewhere = test::count<float>(test::device("sim:1"), {3});
    EXPECT_THROW(where(&condition, &a, &elsewhere), MixedDevicesError);
  }
}

TEST(ElementwiseClip, BoundsBothSides) {
  for (const auto& spec : test::kDevices) {
    const Array x = test::count(test::device(spec), {5});
    EXPECT_EQ(test::numbers(clip(x, Argument{integer(1)}, Argument{integer(3)})), (Values{1, 1, 2, 3, 3}));
    EXPECT_EQ(test::numbers(clip(x, std::nullopt, Argument{integer(2)})), (Values{0, 1, 2, 2, 2}));
    EXPECT_EQ(test::numbers(clip(x, Argument{integer(4)}, Argument{integer(2)})), Values(5, 2));
    EXPECT_NE(clip(x, std::nullopt, std::nullopt).buffer(), x.buffer());
    EXPECT_THROW(clip(x, Argument{real(0.5)}, std::nullopt), DtypeError);
  }
}

}  // namespace
}  // namespace crossdock
