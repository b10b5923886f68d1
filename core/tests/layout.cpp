#include "crossdock/array/layout.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "arrays.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

constexpr std::int64_t kBig = std::int64_t{1} << 62;

TEST(ArrayLayout, CountsElementsAndBytes) {
  EXPECT_EQ(checked_size({}), 1);
  EXPECT_EQ(checked_size({2, 3}), 6);
  EXPECT_EQ(checked_size({2, 0, 3}), 0);
  EXPECT_EQ(checked_size({INT64_MAX}), INT64_MAX);
  EXPECT_EQ(checked_size(Dims(kMaxNdim, 1)), 1);
  EXPECT_EQ(checked_nbytes({2, 3}, 8), 48);
  EXPECT_EQ(checked_nbytes({INT64_MAX}, 1), INT64_MAX);
  EXPECT_EQ(checked_nbytes({0, 5}, 8), 0);
}

TEST(ArrayLayout, RefusesWhatCannotBeCounted) {
  for (const Dims& shape : {Dims{-1}, Dims{0, -1}, Dims{INT64_MIN}, Dims{kBig, 2}, Dims{kBig, kBig, kBig},
                            Dims{0, kBig, kBig}, Dims{kBig, 0, 2}, Dims(kMaxNdim + 1, 1)}) {
    EXPECT_THROW(checked_size(shape), DimensionError) << to_string(shape);
    EXPECT_THROW(checked_nbytes(shape, 1), DimensionError) << to_string(shape);
  }
  for (const Dims& shape : {Dims{kBig}, Dims{0, kBig}, Dims{INT64_MAX / 8 + 1}}) {
    EXPECT_THROW(checked_nbytes(shape, 8), DimensionError) << to_string(shape);
  }
  EXPECT_NE(test::thrown<DimensionError>([] { checked_size({2, -7}); }).find("-7 in shape (2, -7)"), std::string::npos);
}

TEST(ArrayLayout, KnowsContiguity) {
  struct Case {
    Dims shape, strides;
    bool c, f;
  };
  const Case cases[] = {
      {{}, {}, true, true},
      {{3}, {8}, true, true},
      {{3}, {16}, false, false},
      {{3}, {-8}, false, false},
      {{2, 3}, {24, 8}, true, false},
      {{2, 3}, {8, 16}, false, true},
      {{2, 3}, {0, 8}, false, false},
      {{1, 3}, {999, 8}, true, true},
      {{3, 1}, {8, INT64_MIN}, true, true},
      {{2, 1, 3}, {24, -5, 8}, true, false},
      {{0, 3}, {1, 1}, true, true},
      {{kBig}, {0}, false, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(is_c_contiguous(c.shape, c.strides, 8), c.c) << to_string(c.shape) << to_string(c.strides);
    EXPECT_EQ(is_f_contiguous(c.shape, c.strides, 8), c.f) << to_string(c.shape) << to_string(c.strides);
  }
  EXPECT_EQ(contiguous_strides({2, 3, 4}, 2), (Dims{24, 8, 2}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}, 2), (Dims{8, 8, 2}));
  EXPECT_EQ(contiguous_strides({}, 2), Dims{});
}

TEST(ArrayLayout, BroadcastsShapes) {
  struct Case {
    Dims a, b, both;
  };
  const Case cases[] = {
      {{}, {}, {}},          {{}, {3}, {3}},        {{3}, {1}, {3}},
      {{2, 1}, {3}, {2, 3}}, {{1}, {0}, {0}},       {{4, 1, 2}, {3, 1}, {4, 3, 2}},
      {{0}, {2, 1}, {2, 0}}, {{1, 1}, {1}, {1, 1}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(broadcast_shapes(c.a, c.b), c.both);
    EXPECT_EQ(broadcast_shapes(c.b, c.a), c.both);
  }
  EXPECT_EQ(test::thrown<DimensionError>([] { broadcast_shapes({2, 3}, {4}); }),
            "shapes (2, 3) and (4,) do not broadcast");
  EXPECT_THROW(broadcast_shapes({0}, {2}), DimensionError);
}

TEST(ArrayLayout, BroadcastsStrides) {
  EXPECT_EQ(broadcast_strides({3}, {8}, {2, 3}), (Dims{0, 8}));
  EXPECT_EQ(broadcast_strides({3, 1}, {8, 77}, {3, 4}), (Dims{8, 0}));
  EXPECT_EQ(broadcast_strides({1}, {77}, {1}), Dims{0});  // no step is ever taken
  EXPECT_EQ(broadcast_strides({1}, {8}, {0}), Dims{0});
  EXPECT_EQ(broadcast_strides({}, {}, {2, 2}), (Dims{0, 0}));
  for (const auto& [shape, target] :
       {std::pair<Dims, Dims>{{3}, {2}}, {{2}, {}}, {{1, 2}, {2}}, {{2}, {1}}, {{0}, {1}}}) {
    EXPECT_THROW(broadcast_strides(shape, Dims(shape.size(), 8), target), DimensionError) << to_string(shape);
  }
}

TEST(ArrayLayout, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(0, 2, "f"), 0);
  EXPECT_EQ(normalize_axis(-1, 2, "f"), 1);
  EXPECT_EQ(normalize_axis(-2, 2, "f"), 0);
  for (std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, INT64_MIN, INT64_MAX, std::int64_t{1} << 32}) {
    EXPECT_THROW(normalize_axis(axis, 2, "f"), IndexError) << axis;
  }
  EXPECT_THROW(normalize_axis(0, 0, "f"), IndexError);
  EXPECT_EQ(test::thrown<IndexError>([] { normalize_axis(5, 2, "sum"); }),
            "sum: axis 5 is out of range for an array with 2 dimensions");
}

TEST(ArrayLayout, KnowsWhichBytesAreTouched) {
  using Extent = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(byte_extent({}, {}, 4), Extent(0, 4));
  EXPECT_EQ(byte_extent({3}, {8}, 4), Extent(0, 20));
  EXPECT_EQ(byte_extent({3}, {-8}, 4), Extent(-16, 4));
  EXPECT_EQ(byte_extent({3, 2}, {-8, 100}, 4), Extent(-16, 104));
  EXPECT_EQ(byte_extent({1, 1}, {INT64_MIN, INT64_MAX}, 4), Extent(0, 4));
  EXPECT_EQ(byte_extent({0, 9}, {INT64_MIN, INT64_MAX}, 4), Extent(0, 0));
  EXPECT_EQ(byte_extent({2}, {INT64_MIN}, 4), Extent(INT64_MIN, 4));
  EXPECT_EQ(byte_extent({2}, {INT64_MAX - 4}, 4), Extent(0, INT64_MAX));
  struct Case {
    Dims shape, strides;
  };
  for (const Case& c : {Case{{2}, {INT64_MAX}}, Case{{3}, {INT64_MIN}}, Case{{2, 2}, {kBig, kBig}},
                        Case{{2, 2}, {INT64_MIN, -1}}, Case{{INT64_MAX}, {8}}, Case{{2}, {INT64_MAX - 3}}}) {
    EXPECT_THROW(byte_extent(c.shape, c.strides, 4), DimensionError) << to_string(c.shape) << to_string(c.strides);
  }
}

// Strides that visit `offsets` in C order of `shape`, found by trying.
std::optional<Dims> strides_by_trial(const std::vector<std::int64_t>& offsets, const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (int dim = shape.size() - 1; dim >= 0; --dim) {
    if (shape[dim] > 1) strides[dim] = offsets[static_cast<std::size_t>(step)] - offsets[0];
    step *= shape[dim];
  }
  auto reached = test::offsets(shape, strides);
  for (auto& offset : reached) offset += offsets[0];
  return reached == offsets ? std::optional(strides) : std::nullopt;
}

// All shapes of `ndim` dimensions with `size` elements.
void for_each_shape(std::int64_t size, int ndim, const std::function<void(const Dims&)>& visit, Dims shape = {}) {
  if (shape.size() == ndim) {
    if (size == 1) visit(shape);
    return;
  }
  for (std::int64_t extent = 1; extent <= size; ++extent) {
    if (size % extent) continue;
    Dims longer = shape;
    longer.push_back(extent);
    for_each_shape(size / extent, ndim, visit, longer);
  }
}

TEST(ArrayLayout, ReshapesWithoutACopyExactlyWhereOneExists) {
  std::int64_t views = 0, copies = 0;
  for (std::int64_t size : {1, 2, 4, 6, 8, 12}) {
    for_each_shape(size, 3, [&](const Dims& base) {
      Dims axes{0, 1, 2};
      do {
        for (int variant = 0; variant < 4; ++variant) {  // as it is; every other one; backwards; repeated
          const Dims strides = contiguous_strides(base, 4);
          Dims shape, steps;
          for (auto axis : axes) {
            shape.push_back(base[static_cast<int>(axis)]);
            steps.push_back(strides[static_cast<int>(axis)]);
          }
          if (variant == 1) steps[2] *= 2;
          if (variant == 2) steps[0] *= -1;
          if (variant == 3) steps[1] = 0;
          const auto offsets = test::offsets(shape, steps);
          for (int ndim = 0; ndim <= 4; ++ndim) {
            for_each_shape(size, ndim, [&](const Dims& target) {
              Dims out;
              const bool view = reshape_strides(shape, steps, 4, target, out);
              ASSERT_EQ(view, strides_by_trial(offsets, target).has_value())
                  << to_string(shape) << to_string(steps) << to_string(target);
              if (view) {
                ASSERT_EQ(test::offsets(target, out), offsets) << to_string(shape) << to_string(target);
              }
              ++(view ? views : copies);
            });
          }
        }
      } while (std::next_permutation(axes.begin(), axes.end()));
    });
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(copies, 1000);
}

TEST(ArrayLayout, ReshapesEmptyArrays) {
  Dims out;
  EXPECT_TRUE(reshape_strides({0, 3}, {INT64_MIN, 7}, 4, {5, 0}, out));
  EXPECT_EQ(out, contiguous_strides({5, 0}, 4));
}

}  // namespace
}  // namespace crossdock
