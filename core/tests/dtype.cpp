#include "crossdock/runtime/dtype.h"

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "crossdock/runtime/op.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(Dtype, FindsEachByItsName) {
  for (int i = 0; i < kDtypeCount; ++i) {
    auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(find_dtype(name(dtype)), dtype) << name(dtype);
  }
  for (const char* unknown : {"", "float31", "Float32", "float32 ", "f4", "bool_"})
    EXPECT_FALSE(find_dtype(unknown)) << unknown;
}

TEST(Dtype, FindsEachByItsDlpackType) {
  for (int i = 0; i < kDtypeCount; ++i) {
    auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(find_dtype(info(dtype).dlpack_code, info(dtype).dlpack_bits, 1), dtype) << name(dtype);
    EXPECT_FALSE(find_dtype(info(dtype).dlpack_code, info(dtype).dlpack_bits, 2)) << name(dtype);
  }
  EXPECT_FALSE(find_dtype(2, 128, 1));
  EXPECT_FALSE(find_dtype(3, 64, 1));
}

TEST(Dtype, TakesTheBytesItsNameSays) {
  for (int i = 0; i < kDtypeCount; ++i) {
    auto dtype = static_cast<Dtype>(i);
    int bits = info(dtype).dlpack_bits;
    EXPECT_EQ(itemsize(dtype), bits < 8 ? 1 : bits / 8) << name(dtype);
  }
}

TEST(Dtype, KnowsRealParts) {
  EXPECT_EQ(real_part(Dtype::complex64), Dtype::float32);
  EXPECT_EQ(real_part(Dtype::complex128), Dtype::float64);
  EXPECT_EQ(real_part(Dtype::int8), Dtype::int8);
}

// Rows and columns in the order of Dtype; '.' where the standard has no promotion.
constexpr const char* kPromotions = R"(
b1 .  .  .  .  .  .  .  .  .   .   .   .   .   .    .  .  .  .
.  i1 i2 i4 i8 i2 i4 i8 .  .   .   .   .   .   .    .  .  .  .
.  i2 i2 i4 i8 i2 i4 i8 .  .   .   .   .   .   .    .  .  .  .
.  i4 i4 i4 i8 i4 i4 i8 .  .   .   .   .   .   .    .  .  .  .
.  i8 i8 i8 i8 i8 i8 i8 .  .   .   .   .   .   .    .  .  .  .
.  i2 i2 i4 i8 u1 u2 u4 u8 .   .   .   .   .   .    .  .  .  .
.  i4 i4 i4 i8 u2 u2 u4 u8 .   .   .   .   .   .    .  .  .  .
.  i8 i8 i8 i8 u4 u4 u4 u8 .   .   .   .   .   .    .  .  .  .
.  .  .  .  .  u8 u8 u8 u8 .   .   .   .   .   .    .  .  .  .
.  .  .  .  .  .  .  .  .  f2  .   f4  f8  c8  c16  .  .  .  .
.  .  .  .  .  .  .  .  .  .   bf  f4  f8  c8  c16  .  .  .  .
.  .  .  .  .  .  .  .  .  f4  f4  f4  f8  c8  c16  .  .  .  .
.  .  .  .  .  .  .  .  .  f8  f8  f8  f8  c16 c16  .  .  .  .
.  .  .  .  .  .  .  .  .  c8  c8  c8  c16 c8  c16  .  .  .  .
.  .  .  .  .  .  .  .  .  c16 c16 c16 c16 c16 c16  .  .  .  .
.  .  .  .  .  .  .  .  .  .   .   .   .   .   .    e4 .  .  .
.  .  .  .  .  .  .  .  .  .   .   .   .   .   .    .  e5 .  .
.  .  .  .  .  .  .  .  .  .   .   .   .   .   .    .  .  i_ .
.  .  .  .  .  .  .  .  .  .   .   .   .   .   .    .  .  .  u_
)";
constexpr const char* kShort[] = {"b1", "i1", "i2", "i4", "i8",  "u1", "u2", "u4", "u8", "f2",
                                  "bf", "f4", "f8", "c8", "c16", "e4", "e5", "i_", "u_"};

TEST(Dtype, PromotesAsTheStandardInEveryPair) {
  std::istringstream table(kPromotions);
  for (int a = 0; a < kDtypeCount; ++a) {
    for (int b = 0; b < kDtypeCount; ++b) {
      std::string want;
      ASSERT_TRUE(table >> want);
      auto got = promote(static_cast<Dtype>(a), static_cast<Dtype>(b));
      EXPECT_EQ(got ? kShort[static_cast<int>(*got)] : ".", want) << kShort[a] << " with " << kShort[b];
    }
  }
}

TEST(Op, HasANameEach) {
  EXPECT_EQ(name(Op::negative), "negative");
  EXPECT_EQ(name(Op::add), "add");
  EXPECT_EQ(name(Op::matmul), "matmul");
  for (int i = 0; i < kOpCount; ++i) EXPECT_EQ(name(static_cast<Op>(i)), std::string(name(static_cast<Op>(i)).data()));
}

}  // namespace
}  // namespace crossdock
