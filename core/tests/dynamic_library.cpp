#include "crossdock/runtime/dynamic_library.h"

#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(DynamicLibrary, FindsFunctions) {
  auto library = DynamicLibrary::open("libm.so.6");
  if (!library) GTEST_SKIP() << library.error();
  auto* cosine = library.function<double(double)>("cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(library.symbol("no_such_symbol_anywhere"), nullptr);
}

TEST(DynamicLibrary, SaysWhyItIsNotThere) {
  auto library = DynamicLibrary::open("no-such-library.so");
  EXPECT_FALSE(library);
  EXPECT_NE(library.error().find("no-such-library.so"), std::string::npos);
  EXPECT_EQ(library.symbol("cos"), nullptr);
}

}  // namespace
}  // namespace crossdock
