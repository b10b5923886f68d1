// Narrow formats: every bit pattern decoded, and rounding to the nearest neighbour, against a reference that knows only
// the definition of the format.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels_support.h"

namespace crossdock::testing {
namespace {

// A format of sign, exponent and mantissa. `finite_only`: no infinities, and only all ones is NaN (e4m3fn).
struct Format {
  int exponent_bits, mantissa_bits;
  bool finite_only;

  int width() const { return 1 + exponent_bits + mantissa_bits; }
  std::uint32_t count() const { return 1u << width(); }
  double decode(std::uint32_t bits) const {
    const std::uint32_t sign = bits >> (width() - 1), magnitude = bits & ((1u << (width() - 1)) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits), top = (1 << exponent_bits) - 1;
    const auto mantissa = static_cast<double>(magnitude & ((1u << mantissa_bits) - 1));
    const int bias = (1 << (exponent_bits - 1)) - 1;
    double value = exponent == 0
                       ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                       : std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), exponent - bias - mantissa_bits);
    if (exponent == top && !finite_only) value = mantissa == 0 ? INFINITY : NAN;
    if (finite_only && magnitude + 1 == (1u << (width() - 1))) value = NAN;
    return sign ? -value : value;
  }
  // The bits nearest to a finite value, ties to even; what comes after the largest finite number counts as if the
  // format went on.
  std::uint32_t encode(double value) const {
    const std::uint32_t half = count() / 2, sign = std::signbit(value) ? half : 0;
    const double size = std::fabs(value);
    std::uint32_t low = 0, high = half - 1;  // the largest magnitude that is finite and <= size
    while (low < high) {
      const std::uint32_t middle = (low + high + 1) / 2;
      const double candidate = decode(middle);
      if (std::isfinite(candidate) && candidate <= size)
        low = middle;
      else
        high = middle - 1;
    }
    const double below = decode(low), step = std::max(below - decode(low ? low - 1 : 0), std::ldexp(1.0, -1000));
    double above = decode(low + 1);
    if (!std::isfinite(above)) above = below + step;
    const double left = size - below, right = above - size;
    return sign | (left < right || (left == right && low % 2 == 0) ? low : low + 1);
  }
};

constexpr Format kFloat16{5, 10, false}, kBFloat16{8, 7, false}, kE4M3FN{4, 3, true}, kE5M2{5, 2, false};

template <class T>
void check_decoding(const Format& format) {
  std::vector<T> all(format.count());
  for (std::uint32_t bits = 0; bits < format.count(); ++bits) all[bits] = T{static_cast<decltype(T::bits)>(bits)};
  const std::vector<float> got = unary<float>(Op::copy, all);
  for (std::uint32_t bits = 0; bits < format.count(); ++bits) {
    const double want = format.decode(bits);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got[bits])) << bits;
    else
      ASSERT_EQ(static_cast<double>(got[bits]), want) << bits;
    ASSERT_EQ(std::signbit(got[bits]), std::signbit(want)) << bits;
  }
}

// Every number of the format, every tie between neighbours, and both sides of each.
std::vector<double> edges(const Format& format) {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits + 1 < format.count() / 2; ++bits) {
    const double a = format.decode(bits), b = format.decode(bits + 1);
    if (!std::isfinite(a)) break;
    const double tie = std::isfinite(b) ? (a + b) / 2 : a + (a - format.decode(bits - 1)) / 2;
    for (const double value : {a, tie, std::nextafter(tie, 0), std::nextafter(tie, INFINITY)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

template <class From, class T>
void check_encoding(const Format& format, bool by_way_of_float) {
  std::vector<From> values;
  for (const double value : edges(format)) {
    values.push_back(static_cast<From>(value));
    values.push_back(std::nextafter(static_cast<From>(value), From{0}));
    values.push_back(std::nextafter(static_cast<From>(value), static_cast<From>(INFINITY)));
  }
  const std::vector<T> got = unary<T>(Op::copy, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = by_way_of_float ? static_cast<float>(values[i]) : static_cast<double>(values[i]);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(static_cast<std::uint32_t>(got[i].bits), format.encode(value)) << value;
  }
}

TEST(Formats, DecodeEveryPattern) {
  check_decoding<Float16>(kFloat16);
  check_decoding<BFloat16>(kBFloat16);
  check_decoding<functors::Float8E4M3FN>(kE4M3FN);
  check_decoding<functors::Float8E5M2>(kE5M2);
}

TEST(Formats, RoundToNearestEven) {
  check_encoding<float, Float16>(kFloat16, false);
  check_encoding<double, Float16>(kFloat16, false);
  check_encoding<float, BFloat16>(kBFloat16, false);
  check_encoding<double, BFloat16>(kBFloat16, true);
  check_encoding<float, functors::Float8E4M3FN>(kE4M3FN, false);
  check_encoding<float, functors::Float8E5M2>(kE5M2, false);
  check_encoding<double, functors::Float8E5M2>(kE5M2, true);
}

TEST(Formats, OverflowAndNan) {
  const std::vector<float> v{INFINITY, -INFINITY, 1e30f, -1e30f, NAN, -NAN};
  const auto bits = [&](auto one) {
    std::vector<std::uint32_t> all;
    for (const auto value : unary<decltype(one)>(Op::copy, v)) all.push_back(value.bits);
    return all;
  };
  using Bits = std::vector<std::uint32_t>;
  EXPECT_EQ(bits(Float16{}), (Bits{0x7c00, 0xfc00, 0x7c00, 0xfc00, 0x7e00, 0xfe00}));
  EXPECT_EQ(bits(BFloat16{})[4], 0x7fc0u);
  EXPECT_EQ(bits(functors::Float8E4M3FN{}), (Bits{0x7f, 0xff, 0x7f, 0xff, 0x7f, 0xff}));
  EXPECT_EQ(bits(functors::Float8E5M2{}), (Bits{0x7c, 0xfc, 0x7c, 0xfc, 0x7e, 0xfe}));
}

// The functors themselves, which other back-ends compile, agree with what the kernels do with special instructions.
TEST(Formats, FunctorsAgreeWithKernels) {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 40'961)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  const auto got = unary<Float16>(Op::copy, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(got[i].bits, functors::to_float16(values[i]).bits) << values[i];
  std::vector<Float16> halves;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) halves.push_back({static_cast<std::uint16_t>(bits)});
  const auto wide = unary<float>(Op::copy, halves);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(functors::to_float(halves[i]))) << i;
  }
}

TEST(Formats, FourBitsWrap) {
  std::vector<std::int32_t> v(600);
  for (int i = 0; i < 600; ++i) v[static_cast<std::size_t>(i)] = i - 300;
  const auto low = unary<functors::Int4>(Op::copy, v);
  const auto low_unsigned = unary<functors::UInt4>(Op::copy, v);
  const auto back = unary<std::int32_t>(Op::copy, low), back_unsigned = unary<std::int32_t>(Op::copy, low_unsigned);
  for (std::size_t i = 0; i < v.size(); ++i) {
    EXPECT_EQ(back[i], ((v[i] & 15) ^ 8) - 8);
    EXPECT_EQ(back_unsigned[i], v[i] & 15);
  }
}

}  // namespace
}  // namespace crossdock::testing
