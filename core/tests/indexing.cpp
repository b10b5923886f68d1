#include "crossdock/array/indexing.h"

#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Bound = std::optional<std::int64_t>;

// Which elements a Python slice takes, said with numbers that cannot overflow.
std::vector<std::int64_t> sliced(std::int64_t size, const Slice& slice) {
  using Wide = __int128;
  const Wide step = slice.step.value_or(1);
  const auto place = [&](const Bound& bound, Wide otherwise) {
    if (!bound) return otherwise;
    Wide at = *bound;
    if (at < 0) at += size;
    const Wide low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    return at < low ? low : at > high ? high : at;
  };
  const Wide start = place(slice.start, step > 0 ? 0 : size - 1), stop = place(slice.stop, step > 0 ? size : -1);
  std::vector<std::int64_t> out;
  for (Wide at = start; step > 0 ? at < stop : at > stop; at += step) out.push_back(static_cast<std::int64_t>(at));
  return out;
}

Array take(const Array& array, const std::vector<Index>& indexes) { return index(array, indexes); }

TEST(Indexing, SlicesAsPython) {
  std::vector<Bound> bounds{std::nullopt, INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1}, steps = bounds;
  for (int i = -7; i <= 7; ++i) bounds.push_back(i);
  for (int i = -4; i <= 4; ++i) {
    if (i != 0) steps.push_back(i);
  }
  Device& native = test::device("native:0");
  for (std::int64_t size = 0; size <= 5; ++size) {
    const Array array = test::count(native, {size});
    for (const Bound& start : bounds) {
      for (const Bound& stop : bounds) {
        for (const Bound& step : steps) {
          const Slice slice{start, stop, step};
          const Array got = take(array, {slice});
          const auto want = sliced(size, slice);
          ASSERT_EQ(got.shape(), Dims{static_cast<std::int64_t>(want.size())});
          ASSERT_EQ(test::bytes_as<std::int64_t>(got), want);
          if (want.empty()) {
            ASSERT_EQ(got.data(), array.data());
          }
        }
      }
    }
  }
  EXPECT_THROW(take(test::count(native, {3}), {Slice{{}, {}, 0}}), ValueError);
}

TEST(Indexing, SlicesSlices) {
  const Array array = test::count(test::device("native:0"), {20});
  std::vector<Slice> slices;
  for (Bound start : {Bound{}, Bound{1}, Bound{-2}}) {
    for (std::int64_t step : {-3, -1, 2, 5}) slices.push_back({start, {}, step});
  }
  for (const Slice& first : slices) {
    for (const Slice& second : slices) {
      const auto outer = sliced(20, first);
      std::vector<std::int64_t> want;
      for (auto at : sliced(static_cast<std::int64_t>(outer.size()), second)) {
        want.push_back(outer[static_cast<std::size_t>(at)]);
      }
      EXPECT_EQ(test::bytes_as<std::int64_t>(take(take(array, {first}), {second})), want);
    }
  }
}

TEST(Indexing, TakesWhatPythonTakes) {
  struct Case {
    std::vector<Index> indexes;
    Dims shape;
    std::vector<std::int64_t> values;
  };
  const Slice all{};
  const std::vector<Case> cases = {
      {{}, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {{std::int64_t{1}}, {3}, {3, 4, 5}},
      {{std::int64_t{-2}}, {3}, {0, 1, 2}},
      {{std::int64_t{1}, std::int64_t{-1}}, {}, {5}},
      {{all, std::int64_t{0}}, {2}, {0, 3}},
      {{Ellipsis{}, std::int64_t{0}}, {2}, {0, 3}},
      {{Ellipsis{}}, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {{std::int64_t{0}, Ellipsis{}, std::int64_t{2}}, {}, {2}},
      {{NewAxis{}, Ellipsis{}, NewAxis{}}, {1, 2, 3, 1}, {0, 1, 2, 3, 4, 5}},
      {{std::int64_t{1}, NewAxis{}, Slice{{}, {}, -2}}, {1, 2}, {5, 3}},
      {{Slice{5, {}, {}}}, {0, 3}, {}},
      {{Slice{{}, {}, -1}, Slice{1, {}, {}}}, {2, 2}, {4, 5, 1, 2}},
  };
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {2, 3});
    for (const Case& c : cases) {
      const Array got = take(array, c.indexes);
      EXPECT_EQ(got.shape(), c.shape);
      EXPECT_EQ(test::bytes_as<std::int64_t>(got), c.values);
      EXPECT_EQ(got.buffer(), array.buffer());
    }
  }
}

TEST(Indexing, SaysWhatIsWrong) {
  const Array array = test::count(test::device("native:0"), {2, 3});
  using Indexes = std::vector<Index>;
  const auto message = [&](const Indexes& indexes) { return test::thrown<IndexError>([&] { take(array, indexes); }); };
  EXPECT_EQ(message({std::int64_t{0}, std::int64_t{3}}), "index 3 is out of bounds for axis 1 with size 3");
  EXPECT_EQ(message({std::int64_t{-3}}), "index -3 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(message({INT64_MIN}), "index -9223372036854775808 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(message(Indexes(3, std::int64_t{0})), "too many indices: 3 for an array with 2 dimensions");
  EXPECT_EQ(message({Ellipsis{}, Ellipsis{}}), "an index can have one ellipsis, not 2");
  EXPECT_THROW(take(array, Indexes(kMaxNdim, NewAxis{})), DimensionError);
  EXPECT_THROW(take(test::count(test::device("native:0"), {0}), {std::int64_t{0}}), IndexError);
}

TEST(Indexing, ForgetsTheStridesOfEmptyArrays) {
  // Nobody has checked the strides of an array that has no elements.
  auto buffer = Buffer::borrow(test::device("native:0"), nullptr, 0, {});
  const Array array(buffer, nullptr, Dtype::int64, {0, 9, 9}, {INT64_MAX, INT64_MIN, INT64_MAX}, false);
  const Array got = take(array, {Slice{}, Slice{{}, {}, -1}, std::int64_t{7}});
  EXPECT_EQ(got.shape(), (Dims{0, 9}));
  EXPECT_EQ(got.data(), nullptr);
}

TEST(Indexing, KeepsReadOnly) {
  const Array array = test::count(test::device("native:0"), {4});
  EXPECT_FALSE(take(array, {Slice{1, {}, {}}}).readonly());
  EXPECT_TRUE(take(array.as_readonly(), {Slice{1, {}, {}}}).readonly());
}

}  // namespace
}  // namespace crossdock
