// Elementwise kernels: values at the edges, and every way that memory can lie.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "crossdock/functors/division.h"
#include "crossdock/runtime/thread_pool.h"
#include "kernels_support.h"

namespace crossdock::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

TEST(Integers, WrapAround) {
  EXPECT_EQ((binary<std::int32_t>(Op::add, Ints{kHighest, kLowest}, Ints{1, -1})), (Ints{kLowest, kHighest}));
  EXPECT_EQ((binary<std::int32_t>(Op::multiply, Ints{65536, -3}, Ints{65536, 5})), (Ints{0, -15}));
  EXPECT_EQ((unary<std::int32_t>(Op::negative, Ints{kLowest, 7})), (Ints{kLowest, -7}));
  EXPECT_EQ((unary<std::int32_t>(Op::abs, Ints{kLowest, -7})), (Ints{kLowest, 7}));
  const std::vector<std::uint16_t> large(40, 65535);
  EXPECT_EQ((binary<std::uint16_t>(Op::multiply, large, large)), std::vector<std::uint16_t>(40, 1));
}

TEST(Integers, DivideDownAndByZeroToZero) {
  const Ints a{7, -7, 7, -7, 5, kLowest, kLowest}, b{2, 2, -2, -2, 0, -1, 0};
  EXPECT_EQ((binary<std::int32_t>(Op::floor_divide, a, b)), (Ints{3, -4, -4, 3, 0, kLowest, 0}));
  EXPECT_EQ((binary<std::int32_t>(Op::remainder, a, b)), (Ints{1, 1, -1, -1, 0, 0, 0}));
  EXPECT_EQ((binary<std::uint8_t>(Op::floor_divide, Bytes{255, 9}, Bytes{2, 0})), (Bytes{127, 0}));
}

TEST(Integers, PowersWrapAndNegativeExponentsTruncate) {
  EXPECT_EQ((binary<std::int32_t>(Op::pow, Ints{3, -2, 0, 2, 1, -1, -1, 2}, Ints{4, 31, 0, 33, -5, -5, -6, -1})),
            (Ints{81, kLowest, 1, 0, 1, -1, 1, 0}));
}

TEST(Integers, ShiftsOutOfRangeEmpty) {
  const Ints a{1, 1, 1, -8, -8}, b{31, 32, -1, 1, 40};
  EXPECT_EQ((binary<std::int32_t>(Op::bitwise_left_shift, a, b)), (Ints{kLowest, 0, 0, -16, 0}));
  EXPECT_EQ((binary<std::int32_t>(Op::bitwise_right_shift, a, b)), (Ints{0, 0, 0, -4, -1}));
  EXPECT_EQ((binary<std::uint8_t>(Op::bitwise_left_shift, Bytes{255, 255}, Bytes{7, 8})), (Bytes{128, 0}));
}

TEST(Floats, SpecialValues) {
  expect_same(binary<float>(Op::maximum, Floats{1, kNan, 1}, Floats{2, 1, kNan}), {2, kNan, kNan});
  expect_same(binary<float>(Op::minimum, Floats{1, kNan, 1}, Floats{2, 1, kNan}), {1, kNan, kNan});
  expect_same(unary<float>(Op::round, Floats{0.5, 1.5, 2.5, -0.5, -1.5, kInf}), {0, 2, 2, -0.0f, -2, kInf});
  expect_same(unary<float>(Op::sign, Floats{-3, 0, -0.0f, kInf, kNan}), {-1, 0, 0, 1, kNan});
  expect_same(unary<float>(Op::negative, Floats{0, kInf}), {-0.0f, -kInf});
  EXPECT_EQ((unary<std::uint8_t>(Op::isnan, Floats{kNan, 1, kInf}, Dtype::bool_)), (Bytes{1, 0, 0}));
  EXPECT_EQ((unary<std::uint8_t>(Op::isinf, Floats{kNan, -kInf, kInf}, Dtype::bool_)), (Bytes{0, 1, 1}));
  EXPECT_EQ((unary<std::uint8_t>(Op::isfinite, Floats{kNan, 1, kInf}, Dtype::bool_)), (Bytes{0, 1, 0}));
  EXPECT_EQ((unary<std::uint8_t>(Op::signbit, Floats{-0.0f, 0, -kInf}, Dtype::bool_)), (Bytes{1, 0, 1}));
}

// The array API standard's tables, which NumPy follows but for infinite dividends.
TEST(Floats, FloorDivideAndRemainder) {
  const Floats a{7, -7, 7, -7, 1, -1, 1, 0, -0.0f, kInf, 1, 0, 1},
      b{2, 2, -2, -2, -kInf, kInf, kInf, -1, 1, 2, 0, 0, kNan};
  expect_same(binary<float>(Op::floor_divide, a, b),
              {3, -4, -4, 3, -0.0f, -0.0f, 0, -0.0f, -0.0f, kInf, kInf, kNan, kNan});
  expect_same(binary<float>(Op::remainder, a, b), {1, 1, -1, -1, -kInf, kInf, 1, -0.0f, 0, kNan, kNan, kNan, kNan});
}

TEST(Floats, ExponentialsAtTheEdges) {
  const Floats v{0, -0.0f, 1, kInf, -kInf, kNan, 1e-45f, 3e38f, 88.7f, 89, -103, -104, -87.5f};
  const Floats got = unary<float>(Op::exp, v);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto want = static_cast<float>(std::exp(static_cast<double>(v[i])));
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(got[i]));
    else if (std::isinf(want))
      EXPECT_EQ(got[i], want) << v[i];
    else
      EXPECT_NEAR(got[i], want, 2e-7 * want + 1.5e-45) << v[i];
  }
  expect_same(unary<float>(Op::log, Floats{0, -0.0f, 1, kInf, -1, kNan}), {-kInf, -kInf, 0, kInf, kNan, kNan});
  expect_same(unary<float>(Op::expm1, Floats{0, -0.0f, kInf, -kInf, kNan, 1e-45f}), {0, -0.0f, kInf, -1, kNan, 1e-45f});
  expect_same(unary<float>(Op::tanh, Floats{0, -0.0f, kInf, -kInf, kNan, 1e-45f}), {0, -0.0f, 1, -1, kNan, 1e-45f});
}

TEST(Floats, FunctionsAtTheEdges) {
  expect_same(unary<float>(Op::sin, Floats{0, -0.0f, kInf, kNan, 1e-45f}), {0, -0.0f, kNan, kNan, 1e-45f});
  expect_same(unary<float>(Op::cos, Floats{0, -kInf, kNan}), {1, kNan, kNan});
  expect_same(unary<float>(Op::tan, Floats{0, -0.0f, kInf, kNan, 1e-45f}), {0, -0.0f, kNan, kNan, 1e-45f});
  expect_same(unary<float>(Op::asin, Floats{-0.0f, 2, kInf, kNan, 1e-45f}), {-0.0f, kNan, kNan, kNan, 1e-45f});
  expect_same(unary<float>(Op::acos, Floats{1, 1.5f, -kInf, kNan}), {0, kNan, kNan, kNan});
  expect_same(unary<float>(Op::atan, Floats{-0.0f, kNan, 1e-45f}), {-0.0f, kNan, 1e-45f});
  expect_same(unary<float>(Op::sinh, Floats{-0.0f, kInf, -kInf, 90, kNan, 1e-45f}),
              {-0.0f, kInf, -kInf, kInf, kNan, 1e-45f});
  expect_same(unary<float>(Op::cosh, Floats{-0.0f, kInf, -kInf, kNan}), {1, kInf, kInf, kNan});
  expect_same(unary<float>(Op::asinh, Floats{-0.0f, kInf, -kInf, kNan, 1e-45f}), {-0.0f, kInf, -kInf, kNan, 1e-45f});
  expect_same(unary<float>(Op::acosh, Floats{1, 0.5f, kInf, -kInf, kNan}), {0, kNan, kInf, kNan, kNan});
  expect_same(unary<float>(Op::atanh, Floats{-0.0f, 1, -1, 2, kNan, 1e-45f}), {-0.0f, kInf, -kInf, kNan, kNan, 1e-45f});
  expect_same(unary<float>(Op::log1p, Floats{-0.0f, -1, -2, kInf, kNan, 1e-45f}),
              {-0.0f, -kInf, kNan, kInf, kNan, 1e-45f});
  for (const Op op : {Op::log2, Op::log10})
    expect_same(unary<float>(op, Floats{0, -0.0f, 1, -1, kInf, kNan}), {-kInf, -kInf, 0, kNan, kInf, kNan});
  std::vector<double> powers, tens, exponents;
  for (int i = -1074; i < 1024; ++i) powers.push_back(std::ldexp(1.0, i));
  for (int i = 0; i < 23; ++i) tens.push_back(std::pow(10.0, i));
  exponents = unary<double>(Op::log2, powers);
  for (std::size_t i = 0; i < powers.size(); ++i) EXPECT_EQ(exponents[i], static_cast<double>(i) - 1074);
  exponents = unary<double>(Op::log10, tens);
  for (std::size_t i = 0; i < tens.size(); ++i) EXPECT_EQ(exponents[i], static_cast<double>(i));
}

TEST(Floats, FunctionsOfTwoAtTheEdges) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double edges[] = {0,    -0.0, 1,       -1,       inf,     -inf,     nan, 5e-324, 1e308,
                          -1e5, 0.5,  -1.5e-3, 2.5e-310, 1.7e308, -1.7e308, 3,   -3,     2};
  std::vector<double> a, b;
  for (const double x : edges) {
    for (const double y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const auto check = [&](Op op, double (*reference)(double, double)) {
    const auto got = binary<double>(op, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double want = reference(a[i], b[i]);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got[i])) << name(op) << " of " << a[i] << ", " << b[i];
        continue;
      }
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want)) << name(op) << " of " << a[i] << ", " << b[i];
      if (std::isinf(want) || std::isinf(got[i])) {
        EXPECT_EQ(got[i], want) << name(op) << " of " << a[i] << ", " << b[i];
      } else {
        EXPECT_NEAR(got[i], want, 5e-16 * std::fabs(want) + 5e-324) << name(op) << " of " << a[i] << ", " << b[i];
      }
    }
  };
  check(Op::pow, std::pow);
  check(Op::atan2, std::atan2);
  check(Op::hypot, std::hypot);
}

// Units in the last place between the kernels and libm's functions of longer numbers, over both signs and all
// exponents, and where most numbers are.
template <class T, class Longer>
class Accuracy {
 public:
  Accuracy() {
    constexpr std::uint64_t kSteps = 1 << 16;
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      if constexpr (sizeof(T) == 4) {
        add(std::bit_cast<T>(static_cast<std::uint32_t>(i * 65'537)));
      } else {
        add(std::bit_cast<T>(i * 0x1'0001'0001'0001));
      }
      add(static_cast<T>((static_cast<double>(i) - kSteps / 2) * 20.1 / kSteps));
      add(static_cast<T>((static_cast<double>(i) - kSteps / 2) * 2.01 / kSteps));
      add(static_cast<T>(static_cast<double>(i) * 8.1 * 1.5707963267948966));
    }
    y_ = x_;
    std::reverse(y_.begin(), y_.end());
  }

  void check(Op op, Longer (*reference)(Longer), double limit) const {
    const auto got = unary<T>(op, x_);
    for (std::size_t i = 0; i < x_.size(); ++i)
      ASSERT_LE(units(got[i], reference(x_[i])), limit) << name(op) << " of " << x_[i];
  }
  void check(Op op, Longer (*reference)(Longer, Longer), double limit) const {
    const auto got = binary<T>(op, x_, y_);
    for (std::size_t i = 0; i < x_.size(); ++i)
      ASSERT_LE(units(got[i], reference(x_[i], y_[i])), limit) << name(op) << " of " << x_[i] << ", " << y_[i];
  }

 private:
  void add(T value) {
    if (value == value) x_.push_back(value);
  }
  static double units(T got, Longer want) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const T rounded = static_cast<T>(want);
    if (rounded != rounded) return got != got ? 0 : HUGE_VAL;
    if (std::isinf(rounded) || std::isinf(got)) {
      return got == rounded || std::nextafter(rounded, got) == got || std::nextafter(got, rounded) == rounded
                 ? 0
                 : HUGE_VAL;
    }
    const T size = std::fabs(rounded), next = std::nextafter(size, kInfinity);
    const Longer unit =
        std::isinf(next) ? Longer(size) - Longer(std::nextafter(size, T{0})) : Longer(next) - Longer(size);
    return static_cast<double>(std::fabs(Longer(got) - want) / unit);
  }

  std::vector<T> x_, y_;
};

TEST(Floats, VectorisedFunctionsAreAccurate) {
  const Accuracy<float, double> accuracy;
  accuracy.check(Op::exp, std::exp, 1);
  accuracy.check(Op::expm1, std::expm1, 2.1);
  accuracy.check(Op::log, std::log, 1);
  accuracy.check(Op::tanh, std::tanh, 2.5);
  constexpr double kRounded = 0.52;
  accuracy.check(Op::sin, std::sin, kRounded);
  accuracy.check(Op::cos, std::cos, kRounded);
  accuracy.check(Op::tan, std::tan, kRounded);
  accuracy.check(Op::asin, std::asin, kRounded);
  accuracy.check(Op::acos, std::acos, kRounded);
  accuracy.check(Op::atan, std::atan, kRounded);
  accuracy.check(Op::sinh, std::sinh, kRounded);
  accuracy.check(Op::cosh, std::cosh, kRounded);
  accuracy.check(Op::asinh, std::asinh, kRounded);
  accuracy.check(Op::acosh, std::acosh, kRounded);
  accuracy.check(Op::atanh, std::atanh, kRounded);
  accuracy.check(Op::log1p, std::log1p, kRounded);
  accuracy.check(Op::log2, std::log2, kRounded);
  accuracy.check(Op::log10, std::log10, kRounded);
  accuracy.check(Op::atan2, std::atan2, kRounded);
  accuracy.check(Op::hypot, std::hypot, kRounded);
  accuracy.check(Op::pow, std::pow, kRounded);
}

TEST(Floats, VectorisedFunctionsOfDoublesAreAccurate) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "nothing longer than double to compare with";
  const Accuracy<double, long double> accuracy;
  accuracy.check(Op::sin, std::sin, 1);
  accuracy.check(Op::cos, std::cos, 1);
  accuracy.check(Op::tan, std::tan, 2.5);
  accuracy.check(Op::asin, std::asin, 2.1);
  accuracy.check(Op::acos, std::acos, 1.3);
  accuracy.check(Op::atan, std::atan, 2);
  accuracy.check(Op::sinh, std::sinh, 2);
  accuracy.check(Op::cosh, std::cosh, 2);
  accuracy.check(Op::asinh, std::asinh, 2);
  accuracy.check(Op::acosh, std::acosh, 2);
  accuracy.check(Op::atanh, std::atanh, 2);
  accuracy.check(Op::log1p, std::log1p, 1);
  accuracy.check(Op::log2, std::log2, 1);
  accuracy.check(Op::log10, std::log10, 1);
  accuracy.check(Op::atan2, std::atan2, 2.5);
  accuracy.check(Op::hypot, std::hypot, 1.3);
  accuracy.check(Op::pow, std::pow, 1.3);
}

// Elements that the vectorised form does not serve change nothing for the others.
TEST(Floats, ResultsDoNotDependOnNeighbours) {
  Floats x;
  for (int i = 0; i < 1500; ++i) x.push_back(i % 7 == 3 ? 1e30f : static_cast<float>(i) * 0.37f);
  for (const Op op : {Op::sin, Op::cos, Op::tan}) {
    const Floats got = unary<float>(op, x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got[i], unary<float>(op, Floats{x[i]})[0]) << name(op);
  }
}

TEST(Integers, DivideExactlyAtTheEdges) {
  const auto check = []<class T>(T) {
    std::vector<T> edges;
    for (int bit = 0; bit < static_cast<int>(8 * sizeof(T)); ++bit) {
      for (int more = -2; more <= 2; ++more) {
        const auto value = static_cast<T>((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(more));
        edges.push_back(value);
        edges.push_back(static_cast<T>(T{0} - value));
      }
    }
    std::vector<T> quotients(edges.size()), rests(edges.size());
    const Dims shape{static_cast<std::int64_t>(edges.size())};
    for (const T b : edges) {
      const std::vector<T> same(edges.size(), b);
      const auto wanted = binary<T>(Op::floor_divide, edges, same), left = binary<T>(Op::remainder, edges, same);
      Operand scalar = operand(&b, dtype_of<T>, {0});
      launch(Op::floor_divide, dtype_of<T>, shape, {contiguous(edges, shape), scalar, contiguous(quotients, shape)});
      launch(Op::remainder, dtype_of<T>, shape, {contiguous(edges, shape), scalar, contiguous(rests, shape)});
      EXPECT_EQ(quotients, wanted);
      EXPECT_EQ(rests, left);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const T a = edges[i];
        ASSERT_EQ(wanted[i], functors::FloorDivide{}(a, b)) << +a << " // " << +b;
        ASSERT_EQ(left[i], functors::Remainder{}(a, b)) << +a << " % " << +b;
      }
    }
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

TEST(Complex, Arithmetic) {
  const std::vector<Complex64> a{{1, 2}, {1e38f, 1e38f}}, b{{3, -1}, {1e38f, 1e38f}};
  EXPECT_EQ((binary<Complex64>(Op::multiply, a, b)[0]), (Complex64{5, 5}));
  EXPECT_EQ((binary<Complex64>(Op::divide, a, b)[1]), (Complex64{1, 0}));  // without overflow in between
  EXPECT_EQ((unary<float>(Op::abs, std::vector<Complex64>{{3, -4}, {-kInf, kNan}})), (Floats{5, kInf}));
  EXPECT_EQ((unary<float>(Op::imag, a)), (Floats{2, 1e38f}));
}

TEST(Bools, AnyByteButZeroIsTrue) {
  const Bytes a{0, 1, 2, 255}, b{0, 0, 1, 1};
  const Dims shape{4};
  Bytes r(4);
  const auto run = [&](Op op) {
    launch(
        op, Dtype::bool_, shape,
        {contiguous(a, shape, Dtype::bool_), contiguous(b, shape, Dtype::bool_), contiguous(r, shape, Dtype::bool_)});
    return r;
  };
  EXPECT_EQ(run(Op::logical_and), (Bytes{0, 0, 1, 1}));
  EXPECT_EQ(run(Op::logical_xor), (Bytes{0, 1, 0, 0}));
  EXPECT_EQ(run(Op::equal), (Bytes{1, 0, 1, 1}));
  EXPECT_EQ(native::kernels().find(Op::add, Dtype::bool_), nullptr);
}

TEST(Halves, RoundOnce) {
  const auto half = [](float value) { return functors::to_float16(value); };
  const std::vector<Float16> a{half(1), half(65504)}, b{half(0.00048828125f), half(65504)};
  const auto sum = binary<Float16>(Op::add, a, b);
  EXPECT_EQ(sum[0].bits, half(1).bits);  // a tie, to even
  EXPECT_EQ(sum[1].bits, 0x7c00);        // infinity
  EXPECT_EQ((binary<Float16>(Op::nextafter, a, {half(2), half(kInf)})[0].bits), a[0].bits + 1);
}

// One of each kind of layout, against the elements one by one.
TEST(Layout, AnyStrides) {
  std::vector<double> memory(4000);
  std::iota(memory.begin(), memory.end(), -100.0);
  const Dims shape{5, 6, 7};
  const std::int64_t d = sizeof(double);
  const Dims choices[] = {{42 * d, 7 * d, d}, {d, 5 * d, 30 * d}, {-42 * d, 14 * d, -d},
                          {0, 7 * d, 0},      {0, 0, 0},          {100 * d, 3 * d, 0}};
  for (const Dims& a : choices) {
    for (const Dims& b : choices) {
      for (const Dims& r : {Dims{42 * d, 7 * d, d}, Dims{d, 5 * d, 30 * d}, Dims{-42 * d, -7 * d, 2 * d}}) {
        std::vector<double> result(2000, 0.5);
        double *x = memory.data() + 1000, *y = memory.data() + 2000, *z = result.data() + 1000;
        launch(Op::subtract, Dtype::float64, shape,
               {operand(x, Dtype::float64, a), operand(y, Dtype::float64, b), operand(z, Dtype::float64, r)});
        const auto at = [d](double* p, const Dims& s, std::int64_t i, std::int64_t j, std::int64_t k) {
          return p[(i * s[0] + j * s[1] + k * s[2]) / d];
        };
        if (r[2] == 2 * d) continue;  // overlaps itself: only that nothing is written elsewhere, which sanitizers see
        for (int i = 0; i < 5; ++i)
          for (int j = 0; j < 6; ++j)
            for (int k = 0; k < 7; ++k) ASSERT_EQ(at(z, r, i, j, k), at(x, a, i, j, k) - at(y, b, i, j, k));
      }
    }
  }
}

TEST(Layout, UnalignedAndOddSteps) {
  std::vector<std::byte> memory(3000), result(3000);
  const auto put = [&](std::int64_t i) {
    const auto value = static_cast<float>(i);
    std::memcpy(memory.data() + 1 + i * 7, &value, 4);
  };
  for (std::int64_t i = 0; i < 300; ++i) put(i);
  const Operand a = operand(memory.data() + 1, Dtype::float32, {7});
  launch(Op::add, Dtype::float32, {300}, {a, a, operand(result.data() + 3, Dtype::float32, {4})});
  launch(Op::sqrt, Dtype::float32, {300},
         {operand(result.data() + 3, Dtype::float32, {4}), operand(result.data() + 3, Dtype::float32, {4})});
  for (int i = 0; i < 300; ++i) {
    float value;
    std::memcpy(&value, result.data() + 3 + i * 4, 4);
    ASSERT_EQ(value, std::sqrt(2.0f * static_cast<float>(i)));
  }
}

TEST(Layout, ImmediateScalarsEmptyAndZeroDimensional) {
  Operand two;
  two.dtype = Dtype::float32;
  const float value = 2;
  std::memcpy(two.immediate, &value, sizeof value);
  Floats a{1, 2, 3}, r(3);
  launch(Op::multiply, Dtype::float32, {3}, {contiguous(a, {3}), two, contiguous(r, {3})});
  EXPECT_EQ(r, (Floats{2, 4, 6}));
  launch(Op::multiply, Dtype::float32, {}, {two, two, operand(r.data(), Dtype::float32, {})});
  EXPECT_EQ(r[0], 4);
  launch(Op::add, Dtype::float32, {0},
         {operand(nullptr, Dtype::float32, {4}), two, operand(nullptr, Dtype::float32, {4})});
  launch(Op::add, Dtype::float32, {3, 0}, {two, two, operand(nullptr, Dtype::float32, {4, 4})});
}

TEST(Layout, ManyElementsOnManyThreads) {
  const int before = num_threads();
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    const std::int64_t n = 1'000'003;
    Floats a(static_cast<std::size_t>(n)), r(a.size());
    std::iota(a.begin(), a.end(), 0.0f);
    launch(Op::add, Dtype::float32, {n}, {contiguous(a, {n}), contiguous(a, {n}), contiguous(a, {n})});  // in place
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], 2.0f * static_cast<float>(i));
    launch(Op::negative, Dtype::float32, {1000, 999},
           {operand(a.data(), Dtype::float32, {4, 4000}), contiguous(r, {1000, 999})});
    for (std::int64_t i = 0; i < 1000; ++i)
      for (std::int64_t j = 0; j < 999; ++j)
        ASSERT_EQ(r[static_cast<std::size_t>(i * 999 + j)], -a[static_cast<std::size_t>(i + j * 1000)]);
  }
  set_num_threads(before);
}

TEST(Layout, SixtyFourDimensions) {
  Dims shape(64, 1);
  for (int dim = 0; dim < 64; dim += 6) shape[dim] = 2;
  std::vector<std::int64_t> a(2048), r(2048);
  std::iota(a.begin(), a.end(), 0);
  launch(Op::square, Dtype::int64, shape, {contiguous(a, shape), contiguous(r, shape)});
  for (std::int64_t i = 0; i < 2048; ++i) ASSERT_EQ(r[static_cast<std::size_t>(i)], i * i);
}

TEST(Level, IsNamed) {
  const std::string level = native::cpu_level();
  EXPECT_TRUE(level == "v2" || level == "v3" || level == "v4" || level == "generic") << level;
}

}  // namespace
}  // namespace crossdock::testing
