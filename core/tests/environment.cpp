#include "crossdock/runtime/environment.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace crossdock {
namespace {

constexpr const char* kVariable = "CROSSDOCK_TEST_SETTING";

std::optional<std::int64_t> integer(const char* value) {
  ::setenv(kVariable, value, 1);
  return positive_integer(kVariable, 64);
}

std::optional<double> number(const char* value) {
  ::setenv(kVariable, value, 1);
  return positive_number(kVariable, 1e6);
}

TEST(Environment, IntegersAreDigitsAlone) {
  EXPECT_EQ(integer("1"), 1);
  EXPECT_EQ(integer("007"), 7);
  EXPECT_EQ(integer("65"), 64);
  for (const char* bad :
       {"", " ", "0", "-1", "+1", "1.0", "1e3", "2 ", " 2", "0x2", "two", "99999999999999999999", "4,2"})
    EXPECT_FALSE(integer(bad)) << bad;
  ::unsetenv(kVariable);
  EXPECT_FALSE(positive_integer(kVariable, 64));
}

TEST(Environment, NumbersAreFinitePositiveDecimals) {
  EXPECT_EQ(number("12.5"), 12.5);
  EXPECT_EQ(number("1e3"), 1000);
  for (const char* bad : {"", " ", "0", "-1", "nan", "inf", "0x10", "1e7", "1e999", "1..2", "e", "12 "})
    EXPECT_FALSE(number(bad)) << bad;
  ::unsetenv(kVariable);
  EXPECT_FALSE(positive_number(kVariable, 1e6));
}

}  // namespace
}  // namespace crossdock
