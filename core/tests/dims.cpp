#include "crossdock/runtime/dims.h"

#include <utility>

#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(Dims, PrintsAsATuple) {
  EXPECT_EQ(to_string({}), "()");
  EXPECT_EQ(to_string({4}), "(4,)");
  EXPECT_EQ(to_string({2, 3}), "(2, 3)");
  EXPECT_EQ(to_string({-1, INT64_MAX}), "(-1, 9223372036854775807)");
}

TEST(Dims, GrowsBeyondItsInlineRoom) {
  Dims dims;
  for (int i = 0; i < kMaxNdim; ++i) dims.push_back(i);
  ASSERT_EQ(dims.size(), kMaxNdim);
  for (int i = 0; i < kMaxNdim; ++i) EXPECT_EQ(dims[i], i);
}

TEST(Dims, CopiesAndMovesKeepValues) {
  for (int size : {0, 3, 6, 7, 20}) {
    Dims first(size, 5), copy(first), assigned;
    assigned = first;
    EXPECT_EQ(copy, first);
    EXPECT_EQ(assigned, first);
    Dims moved(std::move(copy));
    assigned = std::move(moved);
    EXPECT_EQ(assigned, first);
    EXPECT_TRUE(moved.empty());  // NOLINT: a moved-from list is empty
    moved.push_back(1);
    EXPECT_EQ(moved, Dims{1});
  }
}

TEST(Dims, InsertsAndErases) {
  Dims dims{1, 2, 3, 4, 5, 6};
  dims.insert(0, 0);
  EXPECT_EQ(dims, (Dims{0, 1, 2, 3, 4, 5, 6}));
  dims.erase(3);
  dims.erase(5);
  EXPECT_EQ(dims, (Dims{0, 1, 2, 4, 5}));
  dims.resize(7, 9);
  EXPECT_EQ(dims, (Dims{0, 1, 2, 4, 5, 9, 9}));
  EXPECT_NE(dims, (Dims{0, 1, 2, 4, 5, 9}));
}

}  // namespace
}  // namespace crossdock
