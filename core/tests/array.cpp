#include "crossdock/array/array.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.h"
#include "crossdock/array/indexing.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(Array, EmptyTakesItsMemoryFromTheDevice) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const std::int64_t before = device.memory_info().used;
    {
      const Array array = Array::empty({3, 5}, Dtype::int16, device);
      EXPECT_EQ(array.strides(), (Dims{10, 2}));
      EXPECT_EQ(array.size(), 15);
      EXPECT_EQ(array.nbytes(), 30);
      EXPECT_FALSE(array.readonly());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0u);
      EXPECT_EQ(device.memory_info().used, before + 30);
      const Array none = Array::empty({0, 4}, Dtype::float64, device);
      EXPECT_EQ(none.nbytes(), 0);
    }
    EXPECT_EQ(device.memory_info().used, before);
    EXPECT_THROW(Array::empty({std::int64_t{1} << 60}, Dtype::int8, device), OutOfMemoryError);
    EXPECT_THROW(Array::empty({std::int64_t{1} << 60}, Dtype::float64, device), DimensionError);
    EXPECT_THROW(Array::empty({0, std::int64_t{1} << 60}, Dtype::complex128, device), DimensionError);
    EXPECT_THROW(Array::empty({-1}, Dtype::int8, device), DimensionError);
  }
}

TEST(Array, ViewsKeepTheBufferAlive) {
  Device& native = test::device("native:0");
  std::vector<std::int64_t> memory{0, 1, 2, 3, 4, 5};
  int released = 0;
  auto buffer = Buffer::borrow(native, reinterpret_cast<std::byte*>(memory.data()), 48, [&released] { ++released; });
  std::vector<Array> views;
  {
    const Array array(std::move(buffer), reinterpret_cast<std::byte*>(memory.data()), Dtype::int64, {2, 3}, {24, 8},
                      false);
    const std::vector<Index> reversed{Slice{{}, {}, -1}};
    views = {index(array, reversed),
             reshape(array, {6}),
             permute_dims(array, {1, 0}),
             array.broadcast_to({4, 2, 3}),
             flip(array, std::nullopt),
             expand_dims(array, {0}),
             array.bits(),
             array.as_readonly(),
             to_device(array, test::device("native:1"))};
  }
  for (auto& view : views) EXPECT_EQ(released, 0) << to_string(view.shape());
  while (!views.empty()) {
    EXPECT_EQ(released, 0);
    views.pop_back();
  }
  EXPECT_EQ(released, 1);
}

TEST(Array, MemoryOfTheDeviceLivesWhileAViewDoes) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const std::int64_t before = device.memory_info().used;
    {
      Array view = transpose(test::count(device, {2, 3}));
      EXPECT_EQ(device.memory_info().used, before + 48);
      EXPECT_EQ(test::bytes_as<std::int64_t>(view), (std::vector<std::int64_t>{0, 3, 1, 4, 2, 5}));
    }
    EXPECT_EQ(device.memory_info().used, before);
  }
}

TEST(Array, IsReadOnlyWhereItRepeats) {
  const Array array = test::count(test::device("native:0"), {1, 3});
  EXPECT_TRUE(array.broadcast_to({2, 3}).readonly());
  EXPECT_FALSE(array.broadcast_to({1, 3}).readonly());
  EXPECT_FALSE(array.broadcast_to({1, 1, 3}).readonly());
  EXPECT_TRUE(transpose(array.broadcast_to({2, 3})).readonly());
  EXPECT_TRUE(to_device(array.as_readonly(), test::device("native:1")).readonly());
  EXPECT_FALSE(copy(array.as_readonly()).readonly());
  EXPECT_FALSE(reshape(array.as_readonly(), {3}, true).readonly());
  EXPECT_FALSE(contiguous(transpose(array.broadcast_to({2, 3}))).readonly());
  EXPECT_THROW(array.broadcast_to({std::int64_t{1} << 60, 3}), DimensionError);  // its bytes could not be counted
}

TEST(Array, NothingIsWrittenThroughAReadOnlyView) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const Array array = test::count(device, {3}), view = array.as_readonly();
    for (const auto& from : test::kDevices) {
      EXPECT_THROW(copy_into(view, test::count(test::device(from), {3})), ReadOnlyError);
    }
    EXPECT_THROW(copy_into(array.broadcast_to({2, 3}), array), ReadOnlyError);
    EXPECT_THROW(elementwise_in_place(Op::add, view, Scalar{std::int64_t{1}}), ReadOnlyError);
    EXPECT_EQ(
        test::thrown<ReadOnlyError>([&] { view.require_writable("fill"); }),
        "fill: the array is read-only (shape (3,), device '" + spec + "'); copy it first, with asarray(x, copy=True)");
    EXPECT_EQ(test::bytes_as<std::int64_t>(array), (std::vector<std::int64_t>{0, 1, 2}));
  }
}

TEST(Array, ShowsItsBits) {
  Device& native = test::device("native:0");
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const Array array = Array::empty({2}, dtype, native);
    if (itemsize(dtype) > 8) {
      EXPECT_THROW(array.bits(), DtypeError);
      continue;
    }
    EXPECT_EQ(kind(array.bits().dtype()), DtypeKind::unsigned_integer);
    EXPECT_EQ(array.bits().itemsize(), itemsize(dtype));
    EXPECT_EQ(array.bits().data(), array.data());
  }
}

TEST(Array, KnowsWhatMayOverlap) {
  Device &native = test::device("native:0"), &sim = test::device("sim:0");
  const Array base = test::count(native, {10});
  const auto part = [&](std::int64_t start, std::int64_t size, std::int64_t step = 1) {
    return base.view({size}, {8 * step}, 8 * start);
  };
  EXPECT_TRUE(may_overlap(base, base));
  EXPECT_FALSE(may_overlap(part(0, 5), part(5, 5)));
  EXPECT_TRUE(may_overlap(part(0, 6), part(5, 5)));
  EXPECT_TRUE(may_overlap(part(0, 5, 2), part(1, 4, 2)));  // cautious: they interleave
  EXPECT_FALSE(may_overlap(part(4, 5, -1), part(5, 5)));
  EXPECT_TRUE(may_overlap(part(5, 5, -1), part(5, 5)));
  EXPECT_FALSE(may_overlap(part(3, 0), base));
  EXPECT_TRUE(may_overlap(to_device(base, test::device("native:1")), base));
  EXPECT_FALSE(may_overlap(test::count(sim, {3}), test::count(test::device("sim:1"), {3})));
}

TEST(Buffer, GivesBorrowedMemoryBackOnce) {
  Device& native = test::device("native:0");
  int released = 0;
  std::byte memory[8];
  auto first = Buffer::borrow(native, memory, 8, [&] { ++released; });
  auto second = first;
  first.reset();
  EXPECT_EQ(released, 0);
  second.reset();
  EXPECT_EQ(released, 1);
  Buffer::borrow(native, memory, 8, {});  // nobody to tell
}

}  // namespace
}  // namespace crossdock
