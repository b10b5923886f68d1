#include "../runtime/size_class.h"

#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(SizeClass, HoldsWhatItIsAskedForAndWastesAnEighthAtMost) {
  int previous = 0;
  for (std::size_t nbytes = 0; nbytes < 3'000'000; nbytes += 1 + nbytes / 100) {
    SizeClass one = SizeClass::holding(nbytes);
    ASSERT_GE(one.capacity, nbytes);
    ASSERT_EQ(one.capacity % SizeClass::kAlignment, 0u);
    if (nbytes > 512) {
      ASSERT_LE(one.capacity - nbytes, nbytes / 8) << nbytes;
    }
    ASSERT_GE(one.index, previous);
    ASSERT_EQ(SizeClass::holding(one.capacity).index, one.index);
    previous = one.index;
  }
  EXPECT_EQ(SizeClass::holding(SizeClass::kLargest).index, SizeClass::kCount - 1);
}

TEST(SizeClass, KeepsABlockWhereEveryRequestFits) {
  for (std::size_t capacity = 64; capacity < 3'000'000; capacity += 64) {
    SizeClass one = SizeClass::of_block(capacity);
    ASSERT_LE(one.capacity, capacity);
    ASSERT_EQ(SizeClass::holding(one.capacity).index, one.index);
  }
}

}  // namespace
}  // namespace crossdock
