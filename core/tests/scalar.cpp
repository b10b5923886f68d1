#include "crossdock/ops/scalar.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

Scalar round_trip(const Scalar& scalar, Dtype dtype) {
  alignas(16) std::byte element[16];
  store(scalar, dtype, element);
  return load(element, dtype);
}

Scalar integer(std::int64_t value) { return {value}; }

TEST(Scalar, StoresTheEndsOfEveryInteger) {
  using enum Dtype;
  struct Case {
    Dtype dtype;
    std::int64_t low, high;
  };
  const Case cases[] = {
      {int4, -8, 7},
      {uint4, 0, 15},
      {int8, -128, 127},
      {uint8, 0, 255},
      {int16, -32768, 32767},
      {uint16, 0, 65535},
      {int32, INT32_MIN, INT32_MAX},
      {uint32, 0, UINT32_MAX},
  };
  for (const Case& c : cases) {
    for (std::int64_t value : {c.low, c.high}) {
      EXPECT_EQ(round_trip(integer(value), c.dtype).text(), std::to_string(value)) << name(c.dtype);
    }
    for (std::int64_t value : {c.low - 1, c.high + 1, INT64_MIN, INT64_MAX}) {
      EXPECT_THROW(round_trip(integer(value), c.dtype), OverflowError) << name(c.dtype) << value;
    }
    EXPECT_THROW(round_trip({UINT64_MAX}, c.dtype), OverflowError);
  }
  EXPECT_EQ(round_trip(integer(INT64_MIN), int64).text(), "-9223372036854775808");
  EXPECT_EQ(round_trip({UINT64_MAX}, uint64).text(), "18446744073709551615");
  EXPECT_EQ(test::thrown<OverflowError>([] { round_trip({UINT64_MAX}, Dtype::int64); }),
            "the integer 18446744073709551615 does not fit in int64 (-9223372036854775808 to 9223372036854775807)");
  EXPECT_THROW(round_trip(integer(-1), uint64), OverflowError);
}

TEST(Scalar, StoresRealsInEveryFloat) {
  using enum Dtype;
  for (Dtype dtype : {float16, bfloat16, float32, float64, float8_e4m3fn, float8_e5m2}) {
    for (double value : {0.0, -1.5, 2.0}) {
      EXPECT_EQ(std::get<double>(round_trip({value}, dtype).value), value) << name(dtype);
    }
    EXPECT_TRUE(std::signbit(std::get<double>(round_trip({-0.0}, dtype).value)));
    EXPECT_TRUE(std::isnan(std::get<double>(round_trip({NAN}, dtype).value)));
    EXPECT_EQ(std::get<double>(round_trip(integer(3), dtype).value), 3);
    EXPECT_EQ(std::get<double>(round_trip({true}, dtype).value), 1);
    EXPECT_THROW(round_trip({std::complex<double>(1)}, dtype), DtypeError);
  }
  EXPECT_TRUE(std::isinf(std::get<double>(round_trip({1e300}, float32).value)));
  EXPECT_TRUE(std::isinf(std::get<double>(round_trip({1e300}, float16).value)));
  for (Dtype dtype : {complex64, complex128}) {
    const std::complex<double> value(1.5, -2);
    EXPECT_EQ(std::get<std::complex<double>>(round_trip({value}, dtype).value), value);
    EXPECT_EQ(std::get<std::complex<double>>(round_trip(integer(3), dtype).value), 3.0);
  }
}

TEST(Scalar, KeepsKindsApart) {
  using enum Dtype;
  for (Dtype dtype : {int8, uint64, int4, uint4}) {
    EXPECT_THROW(round_trip({1.0}, dtype), DtypeError);
    EXPECT_THROW(round_trip({std::complex<double>(1)}, dtype), DtypeError);
    EXPECT_EQ(round_trip({true}, dtype).text(), "1");
  }
  EXPECT_EQ(round_trip({NAN}, bool_).text(), "True");
  EXPECT_EQ(round_trip(integer(0), bool_).text(), "False");
  EXPECT_EQ(Scalar{true}.own_dtype(), bool_);
  EXPECT_EQ(integer(1).own_dtype(), int64);
  EXPECT_EQ(Scalar{UINT64_MAX}.own_dtype(), uint64);
  EXPECT_EQ(Scalar{1.0}.own_dtype(), float64);
  EXPECT_EQ(Scalar{std::complex<double>()}.own_dtype(), complex128);
  EXPECT_EQ((Scalar{1.0, float16}.own_dtype()), float16);
}

TEST(Scalar, PrintsItself) {
  EXPECT_EQ(Scalar{false}.text(), "False");
  EXPECT_EQ(integer(-3).text(), "-3");
  EXPECT_EQ(Scalar{0.1}.text(), "0.1");
  EXPECT_EQ((Scalar{std::complex<double>(1, -2)}.text()), "1-2j");
  EXPECT_EQ((Scalar{std::complex<double>(0, 2)}.text()), "0+2j");
  EXPECT_LT(Scalar{-std::numeric_limits<double>::denorm_min()}.text().size(), 30u);
}

TEST(Scalar, BecomesAnArray) {
  for (const auto& spec : test::kDevices) {
    const Array array = to_array({2.5}, Dtype::float16, test::device(spec));
    EXPECT_EQ(array.shape(), Dims{});
    EXPECT_EQ(test::numbers(array), std::vector<double>{2.5});
  }
}

}  // namespace
}  // namespace crossdock
