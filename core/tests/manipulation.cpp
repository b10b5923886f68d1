#include "crossdock/ops/manipulation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "arrays.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using Values = std::vector<double>;

constexpr std::int64_t kBig = std::int64_t{1} << 62;

TEST(Reshape, GivesAViewWhereItCan) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {2, 6}), turned = transpose(array);
    for (const Dims& shape : {Dims{12}, Dims{3, 4}, Dims{-1}, Dims{2, -1, 2}, Dims{1, 12, 1}, Dims{2, 2, 3}}) {
      const Array out = reshape(array, shape);
      EXPECT_EQ(out.buffer(), array.buffer());
      EXPECT_EQ(test::numbers(out), test::numbers(array));
      const Array moved = reshape(turned, shape);
      EXPECT_EQ(test::numbers(moved), test::numbers(turned));
      EXPECT_NE(reshape(array, shape, true).buffer(), array.buffer());
      EXPECT_EQ(test::numbers(reshape(turned, shape, true)), test::numbers(turned));
    }
    EXPECT_EQ(reshape(turned, {2, 3, 2}, false).buffer(), array.buffer());
    EXPECT_EQ(test::thrown<CopyRequiredError>([&] { reshape(turned, {12}, false); }),
              "reshape: shape (6, 2) with byte strides (8, 48) cannot be seen as (12,) without a copy, and copy=False "
              "forbids one");
  }
}

TEST(Reshape, RefusesOtherSizes) {
  Device& native = test::device("native:0");
  const Array array = test::count(native, {2, 3}), none = test::count(native, {0, 3});
  EXPECT_EQ(test::thrown<DimensionError>([&] { reshape(array, {4}); }),
            "reshape: an array of shape (2, 3) (6 elements) cannot take shape (4,)");
  EXPECT_EQ(test::thrown<DimensionError>([&] { reshape(array, {-1, 4}); }),
            "reshape: an array of shape (2, 3) (6 elements) cannot take shape (-1, 4)");
  for (const Dims& shape :
       {Dims{-1, -1}, Dims{-2, -3}, Dims{0}, Dims{-1, 0}, Dims{kBig, kBig}, Dims{kBig, -1}, Dims{}}) {
    EXPECT_THROW(reshape(array, shape), DimensionError) << to_string(shape);
  }
  EXPECT_EQ(reshape(none, {-1, 7}).shape(), (Dims{0, 7}));
  EXPECT_EQ(reshape(none, {0}).shape(), Dims{0});
  EXPECT_THROW(reshape(none, {-1, 0}), DimensionError);
  EXPECT_THROW(reshape(none, {0, kBig, kBig}), DimensionError);
  EXPECT_THROW(reshape(none, {0, kBig}), DimensionError);  // 8 bytes each: no strides could say it
  EXPECT_EQ(reshape(test::count(native, {1}), {}).shape(), Dims{});
  EXPECT_THROW(reshape(test::count(native, {1}), Dims(kMaxNdim + 1, 1)), DimensionError);
}

TEST(Permute, FollowsTheAxes) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {2, 3, 4});
    Dims axes{0, 1, 2};
    do {
      const Array out = permute_dims(array, {axes[0], axes[1] - 3, axes[2]});
      Values want;
      Dims shape;
      for (auto axis : axes) shape.push_back(array.shape()[static_cast<int>(axis)]);
      test::for_each_index(shape, [&](const Dims& index) {
        Dims place(3);
        for (int i = 0; i < 3; ++i) place[static_cast<int>(axes[i])] = index[i];
        want.push_back(static_cast<double>(test::dot(place, {12, 4, 1})));
      });
      EXPECT_EQ(out.shape(), shape);
      EXPECT_EQ(test::numbers(out), want);
    } while (std::next_permutation(axes.begin(), axes.end()));
    EXPECT_EQ(transpose(array).shape(), (Dims{4, 3, 2}));
    EXPECT_EQ(matrix_transpose(array).shape(), (Dims{2, 4, 3}));
    EXPECT_EQ(moveaxis(array, {0}, {-1}).shape(), (Dims{3, 4, 2}));
    EXPECT_EQ(moveaxis(array, {2, 0}, {0, 1}).shape(), (Dims{4, 2, 3}));
    EXPECT_EQ(moveaxis(array, {}, {}).shape(), (Dims{2, 3, 4}));
    for (const Dims& wrong : {Dims{0, 1}, Dims{0, 1, 1}, Dims{0, 1, 2, -1}}) {
      EXPECT_THROW(permute_dims(array, wrong), DimensionError) << to_string(wrong);
    }
    EXPECT_THROW(permute_dims(array, {0, 1, 3}), IndexError);
    EXPECT_THROW(moveaxis(array, {0, 1}, {0}), DimensionError);
    EXPECT_THROW(moveaxis(array, {0, 0}, {0, 1}), DimensionError);
    EXPECT_THROW(matrix_transpose(test::count(array.device(), {3})), DimensionError);
  }
}

TEST(ExpandAndSqueeze, AreTheOtherWayRound) {
  const Array array = test::count(test::device("native:0"), {2, 3});
  struct Case {
    Dims axes, shape;
  };
  for (const Case& c : {Case{{0}, {1, 2, 3}}, Case{{-1}, {2, 3, 1}}, Case{{1}, {2, 1, 3}}, Case{{0, -1}, {1, 2, 3, 1}},
                        Case{{3, 0}, {1, 2, 3, 1}}, Case{{1, 2}, {2, 1, 1, 3}}, Case{{}, {2, 3}}}) {
    const Array out = expand_dims(array, c.axes);
    EXPECT_EQ(out.shape(), c.shape);
    EXPECT_EQ(test::numbers(out), test::numbers(array));
    EXPECT_EQ(squeeze(out, c.axes).shape(), array.shape());
    EXPECT_EQ(squeeze(out, c.axes).strides(), array.strides());
  }
  EXPECT_THROW(expand_dims(array, {3}), IndexError);
  EXPECT_THROW(expand_dims(array, {0, 0}), DimensionError);
  EXPECT_THROW(expand_dims(array, Dims(63, 0)), DimensionError);
  EXPECT_EQ(test::thrown<DimensionError>([&] { squeeze(array, {1}); }),
            "squeeze: axis 1 has 3 elements in shape (2, 3), not 1");
  EXPECT_THROW(squeeze(array, {2}), IndexError);
}

TEST(Flip, TurnsTheAxesAround) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {2, 3});
    EXPECT_EQ(test::numbers(flip(array, {})), (Values{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(test::numbers(flip(array, Dims{0})), (Values{3, 4, 5, 0, 1, 2}));
    EXPECT_EQ(test::numbers(flip(array, Dims{-1})), (Values{2, 1, 0, 5, 4, 3}));
    EXPECT_EQ(test::numbers(flip(array, Dims{})), test::numbers(array));
    EXPECT_EQ(test::numbers(flip(test::count(test::device(spec), {}), {})), Values{0});
    EXPECT_EQ(flip(test::count(test::device(spec), {0, 2}), {}).shape(), (Dims{0, 2}));
  }
}

TEST(BroadcastArrays, GivesAllOneShape) {
  Device& native = test::device("native:0");
  const std::vector<Array> arrays = {test::count(native, {3}), test::count(native, {2, 1}), test::count(native, {})};
  const auto out = broadcast_arrays(arrays);
  ASSERT_EQ(out.size(), 3u);
  for (const Array& array : out) EXPECT_EQ(array.shape(), (Dims{2, 3}));
  EXPECT_EQ(test::numbers(out[1]), (Values{0, 0, 0, 1, 1, 1}));
  EXPECT_TRUE(broadcast_arrays({}).empty());
}

TEST(Concat, JoinsAlongAnAxis) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const Array a = test::count<float>(device, {2, 2}), b = test::count<double>(device, {2, 1});
    const std::vector<Array> both = {a, b, transpose(a), test::count<float>(device, {2, 0})};
    const Array out = concat(both, -1);
    EXPECT_EQ(out.dtype(), Dtype::float64);
    EXPECT_EQ(out.shape(), (Dims{2, 5}));
    EXPECT_EQ(test::numbers(out), (Values{0, 1, 0, 0, 2, 2, 3, 1, 1, 3}));
    EXPECT_EQ(test::numbers(concat(both, std::nullopt)), (Values{0, 1, 2, 3, 0, 1, 0, 2, 1, 3}));
    const std::vector<Array> same = {a, flip(a, {})};
    EXPECT_EQ(test::numbers(concat(same, 0)), (Values{0, 1, 2, 3, 3, 2, 1, 0}));
    EXPECT_EQ(test::numbers(stack(same, 0)), (Values{0, 1, 2, 3, 3, 2, 1, 0}));
    EXPECT_EQ(test::numbers(stack(same, -1)), (Values{0, 3, 1, 2, 2, 1, 3, 0}));
    EXPECT_EQ(stack(same, 1).shape(), (Dims{2, 2, 2}));
    const std::vector<Array> alone = {a};
    EXPECT_NE(concat(alone, 0).buffer(), a.buffer());
    EXPECT_NE(concat(alone, std::nullopt).buffer(), a.buffer());
  }
}

TEST(Concat, SaysWhatIsWrong) {
  Device& native = test::device("native:0");
  const Array a = test::count(native, {2, 2}), b = test::count(native, {3, 2}), flat = test::count(native, {2});
  using Arrays = std::vector<Array>;
  EXPECT_THROW(concat({}, 0), ValueError);
  EXPECT_THROW(stack({}, 0), ValueError);
  EXPECT_THROW(concat(Arrays{a, b}, 1), DimensionError);
  EXPECT_THROW(concat(Arrays{a, flat}, 0), DimensionError);
  EXPECT_THROW(concat(Arrays{test::count(native, {})}, 0), IndexError);
  EXPECT_THROW(concat(Arrays{a}, 2), IndexError);
  EXPECT_THROW(stack(Arrays{a, b}, 0), DimensionError);
  EXPECT_THROW(stack(Arrays{a}, 3), IndexError);
  EXPECT_THROW(concat(Arrays{a, test::count<float>(native, {2, 2})}, 0), DtypeError);
  EXPECT_THROW(concat(Arrays{a, test::count(test::device("sim:0"), {2, 2})}, 0), MixedDevicesError);
  const Array huge = test::make(native, {1}, std::vector<std::uint8_t>{1}).broadcast_to({kBig});
  EXPECT_THROW(concat(Arrays{huge, huge, huge}, 0), DimensionError);
  EXPECT_THROW(stack(Arrays{huge, huge, huge}, 0), DimensionError);
}

}  // namespace
}  // namespace crossdock
