#include "crossdock/ops/copy.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arrays.h"
#include "crossdock/array/indexing.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

const std::vector<std::string> kAllDevices = {"native:0", "native:1", "sim:0", "sim:1"};
const std::vector<double> kValues = {0, 1, 2, 3, 4, 5};

class CopyInto : public testing::Test {
 protected:
  void TearDown() override { set_transfer_hook({}); }
};

TEST_F(CopyInto, WorksBetweenAllDevicesAndDtypes) {
  for (const auto& to : kAllDevices) {
    for (const auto& from : kAllDevices) {
      for (int i = 1; i < kDtypeCount; ++i) {
        for (Dtype other :
             {Dtype::int8, Dtype::uint16, Dtype::float16, Dtype::float32, Dtype::int64, Dtype::complex128}) {
          const auto dtype = static_cast<Dtype>(i);
          const Array source = test::make(test::device(from), {2, 3}, dtype, kValues);
          const Array target = test::make(test::device(to), {2, 3}, other, std::vector<double>(6, 7));
          copy_into(target, source);
          ASSERT_EQ(test::numbers(target), kValues) << from << ' ' << name(dtype) << ' ' << to << ' ' << name(other);
          copy_into(source, target);
          ASSERT_EQ(test::numbers(source), kValues) << to << ' ' << name(other) << ' ' << from << ' ' << name(dtype);
        }
      }
    }
  }
}

TEST_F(CopyInto, WorksWithAllLayouts) {
  // How a (2, 3) array may lie in a base of 30 elements: (strides, offset) in elements.
  const std::vector<std::pair<Dims, std::int64_t>> layouts = {
      {{3, 1}, 0}, {{1, 2}, 3}, {{-3, -1}, 20}, {{10, 4}, 1}, {{-1, 5}, 6},
  };
  for (const auto& to : kAllDevices) {
    for (const auto& from : kAllDevices) {
      for (const auto& [strides, offset] : layouts) {
        for (const auto& [source_strides, source_offset] : layouts) {
          for (Dtype dtype : {Dtype::int32, Dtype::float64}) {
            const Array base = test::make(test::device(to), {30}, std::vector<std::int32_t>(30, -1));
            const Array source_base = test::make(test::device(from), {30}, dtype, std::vector<double>(30, 9));
            const auto view = [](const Array& b, Dims s, std::int64_t o) {
              for (auto& stride : s) stride *= b.itemsize();
              return b.view({2, 3}, s, o * b.itemsize());
            };
            const Array target = view(base, strides, offset), source = view(source_base, source_strides, source_offset);
            copy_into(source, test::make(test::device(from), {2, 3}, dtype, kValues));
            copy_into(target, source);
            ASSERT_EQ(test::numbers(target), kValues) << from << to_string(source_strides) << to << to_string(strides);
            const auto all = test::numbers(base);  // and nothing beside it was written
            ASSERT_EQ(std::count(all.begin(), all.end(), -1), 24);
          }
        }
      }
    }
  }
}

TEST_F(CopyInto, IgnoresStridesThatNoStepIsTakenBy) {
  for (const auto& to : kAllDevices) {
    for (const auto& from : kAllDevices) {
      const auto odd = [](const Array& base) { return base.view({1, 3, 1, 2}, {INT64_MIN, 8, INT64_MAX, 24}); };
      const Array target = odd(test::count(test::device(to), {6})), source = odd(test::count(test::device(from), {6}));
      copy_into(target, source);
      EXPECT_EQ(test::numbers(astype(target, Dtype::float32)), (std::vector<double>{0, 3, 1, 4, 2, 5}));
    }
  }
}

TEST_F(CopyInto, Broadcasts) {
  for (const auto& to : kAllDevices) {
    for (const auto& from : kAllDevices) {
      Device &target_device = test::device(to), &source_device = test::device(from);
      const auto result = [&](const Dims& shape, const Array& source) {
        const Array target = test::count(target_device, shape);
        copy_into(target, source);
        return test::numbers(target);
      };
      EXPECT_EQ(result({2, 3}, test::count<float>(source_device, {3})), (std::vector<double>{0, 1, 2, 0, 1, 2}));
      EXPECT_EQ(result({2, 3}, test::count<float>(source_device, {2, 1})), (std::vector<double>{0, 0, 0, 1, 1, 1}));
      EXPECT_EQ(result({2}, test::count(source_device, {})), (std::vector<double>{0, 0}));
      EXPECT_EQ(result({3}, test::count(source_device, {1, 1, 3})), (std::vector<double>{0, 1, 2}));
      EXPECT_EQ(result({}, test::count(source_device, {1, 1})), (std::vector<double>{0}));
      EXPECT_EQ(result({0}, test::count(source_device, {1})), std::vector<double>{});
      EXPECT_EQ(result({2, 0}, test::count(source_device, {0})), std::vector<double>{});
      for (const auto& [shape, source_shape] :
           {std::pair<Dims, Dims>{{2}, {3}}, {{3}, {2, 3}}, {{}, {2}}, {{0}, {2}}, {{1}, {0}}}) {
        const std::string text =
            test::thrown<DimensionError>([&] { result(shape, test::count(source_device, source_shape)); });
        EXPECT_EQ(text, "shape " + to_string(source_shape) + " does not broadcast to " + to_string(shape));
      }
    }
  }
}

TEST_F(CopyInto, OfAMemoryToItselfReadsBeforeItWrites) {
  std::vector<Slice> slices;
  for (std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
    for (std::int64_t start = 0; start < 8; ++start) slices.push_back({start, {}, step});
  }
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (const Slice& into : slices) {
      for (const Slice& from : slices) {
        const Array base = test::count<std::int32_t>(device, {8});
        const auto part = [&](const Slice& slice) { return index(base, std::vector<Index>{slice}); };
        const std::int64_t length = std::min(part(into).size(), part(from).size());
        const Array target = part(into).view({length}, part(into).strides());
        const Array source = part(from).view({length}, part(from).strides());
        const auto want = test::numbers(source);
        copy_into(target, source);
        ASSERT_EQ(test::numbers(target), want)
            << spec << ' ' << *into.start << ':' << *into.step << " = " << *from.start << ':' << *from.step;
      }
    }
  }
}

TEST_F(CopyInto, OfAMatrixToItself) {
  for (const auto& spec : test::kDevices) {
    for (const bool over : {false, true}) {  // through the other native device's view of the memory
      if (over && spec != "native:0") continue;
      const auto result = [&](const std::function<Array(const Array&)>& view) {
        const Array matrix = test::count<double>(test::device(spec), {4, 4});
        const Array source = view(over ? to_device(matrix, test::device("native:1")) : matrix);
        const auto want = test::numbers(source.broadcast_to({4, 4}));
        copy_into(matrix, source);
        EXPECT_EQ(test::numbers(matrix), want);
      };
      result([](const Array& m) { return m; });
      result([](const Array& m) { return transpose(m); });
      result([](const Array& m) { return flip(m, std::nullopt); });
      result([](const Array& m) { return flip(transpose(m), Dims{1}); });
      result([](const Array& m) { return index(m, std::vector<Index>{std::int64_t{2}}); });
      result([](const Array& m) { return index(m, std::vector<Index>{Slice{}, Slice{3, {}, {}}}); });
    }
  }
}

TEST_F(CopyInto, OfALargeMemoryToItself) {
  constexpr std::int64_t kSize = 400'000;  // for several threads
  for (const auto& spec : test::kDevices) {
    for (std::int64_t shift : {1, 7, 100'000}) {
      for (const bool forward : {false, true}) {
        const Array base = test::count<std::int32_t>(test::device(spec), {kSize});
        const Array low = base.view({kSize - shift}, {4}), high = base.view({kSize - shift}, {4}, 4 * shift);
        copy_into(forward ? high : low, forward ? low : high);
        std::vector<std::byte> bytes(4 * kSize);
        base.device().download(bytes.data(), base.data(), bytes.size(), base.device().default_stream(), nullptr, true);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < kSize; ++i) {
          std::int32_t value;
          std::memcpy(&value, bytes.data() + 4 * i, 4);
          wrong += value != (forward ? (i < shift ? i : i - shift) : (i < kSize - shift ? i + shift : i));
        }
        EXPECT_EQ(wrong, 0) << spec << ' ' << shift << ' ' << forward;
      }
    }
  }
}

TEST_F(CopyInto, ReinterpretedMemoryIsReadBeforeItIsWritten) {
  const Array whole = test::make(test::device("native:0"), {4}, std::vector<float>{1, 2, 3, 4});
  const Array bits = whole.bits();
  copy_into(bits, whole);  // the same bytes, another dtype
  EXPECT_EQ(test::numbers(bits), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(CopyInto, TellsTheHookWhatLeavesAMemory) {
  std::vector<std::string> seen;
  set_transfer_hook([&](const Transfer& t) {
    seen.push_back(std::string(t.op) + ' ' + std::to_string(t.nbytes) + ' ' + t.source + ' ' + t.target +
                   (t.implicit ? " implicit" : "") + (t.host ? " host" : ""));
  });
  const auto told = [&] { return std::exchange(seen, {}); };
  using Rows = std::vector<std::string>;
  const auto on = [](const char* spec, Dtype dtype) { return Array::empty({2, 3}, dtype, test::device(spec)); };
  copy_into(on("sim:0", Dtype::float64), test::count<std::int8_t>(test::device("native:0"), {3}));
  EXPECT_EQ(told(), Rows{"copy 3 native:0 sim:0"});  // unspread, and unconverted
  copy_into(on("native:1", Dtype::int8), on("sim:1", Dtype::float64), {.op = "send", .target = "@numpy"});
  EXPECT_EQ(told(), Rows{"send 6 sim:1 @numpy"});
  copy_into(on("sim:0", Dtype::int8), on("sim:1", Dtype::int8), {.source = "a", .implicit = true});
  EXPECT_EQ(told(), Rows{"copy 6 a sim:0 implicit"});
  copy_into(on("native:1", Dtype::int8), on("native:0", Dtype::int8));
  copy_into(on("sim:1", Dtype::int8), on("sim:1", Dtype::float64));
  to_device(on("native:0", Dtype::int8), test::device("native:1"));
  EXPECT_EQ(told(), Rows{});
  to_device(on("native:0", Dtype::int8), test::device("sim:0"), {.op = "to_device"});
  EXPECT_EQ(told(), Rows{"to_device 6 native:0 sim:0"});
  std::byte element[16];
  pull(test::count<float>(test::device("native:0"), {1, 1}), element, "float");
  pull(test::count<float>(test::device("sim:0"), {}), element, "item");
  EXPECT_EQ(told(), (Rows{"float 0 native:0 @numpy implicit host", "item 4 sim:0 @numpy implicit"}));
  copy_into(on("sim:0", Dtype::int8).view({0}, {1}), test::count(test::device("native:0"), {0}));
  EXPECT_EQ(told(), Rows{});
}

TEST_F(CopyInto, LeavesEverythingAsItWasWhenTheHookRefuses) {
  for (const auto& to : kAllDevices) {
    for (const auto& from : kAllDevices) {
      Device &target_device = test::device(to), &source_device = test::device(from);
      if (target_device.physical() == source_device.physical()) continue;
      const Array target = test::make(target_device, {6}, std::vector<float>(6, 7));
      const Array source = transpose(test::count(source_device, {2, 3}));
      const auto used = [&] { return target_device.memory_info().used + source_device.memory_info().used; };
      const std::int64_t before = used();
      set_transfer_hook([](const Transfer&) { throw std::runtime_error("no"); });
      EXPECT_THROW(copy_into(target.view({3, 2}, {8, 4}), source), std::runtime_error);
      EXPECT_THROW(to_device(source, target_device), std::runtime_error);
      std::byte element[16] = {};
      EXPECT_THROW(pull(source.view({}, {}), element, "item"), std::runtime_error);
      EXPECT_EQ(element[0], std::byte{});
      set_transfer_hook({});
      EXPECT_EQ(used(), before);
      EXPECT_EQ(test::numbers(target), std::vector<double>(6, 7));
      EXPECT_EQ(test::numbers(source), (std::vector<double>{0, 3, 1, 4, 2, 5}));
      copy_into(target.view({3, 2}, {8, 4}), source);  // and works again
      EXPECT_EQ(test::numbers(target), (std::vector<double>{0, 3, 1, 4, 2, 5}));
    }
  }
}

TEST_F(CopyInto, HoldsTheSourceThatItDoesNotWaitFor) {
  Device& sim = test::device("sim:0");
  std::atomic<bool> go{false}, released{false};
  std::vector<float> memory{1, 2, 3};
  const Array target = test::make(sim, {3}, std::vector<float>(3));
  sim.default_stream().enqueue("hold", [&] {
    while (!go) std::this_thread::yield();
  });
  {
    auto* data = reinterpret_cast<std::byte*>(memory.data());
    auto buffer = Buffer::borrow(test::device("native:0"), data, 12, [&] { released = true; });
    copy_into(target, Array(std::move(buffer), data, Dtype::float32, {3}, {4}, true), {.blocking = false});
  }
  EXPECT_FALSE(released);
  go = true;
  sim.synchronize();
  EXPECT_TRUE(released);
  EXPECT_EQ(test::bytes_as<float>(target), memory);
}

TEST_F(CopyInto, ReadsAndWritesUnalignedMemory) {
  Device& native = test::device("native:0");
  std::vector<std::byte> memory(1 + 100 * 8);
  auto buffer = Buffer::borrow(native, memory.data(), memory.size(), {});
  for (Dtype dtype : {Dtype::int16, Dtype::float32, Dtype::float64}) {
    const Array odd(buffer, memory.data() + 1, dtype, {100}, {itemsize(dtype)}, false);
    copy_into(odd, test::count(native, {100}));
    EXPECT_EQ(test::numbers(odd), test::numbers(test::count(native, {100})));
    EXPECT_EQ(test::numbers(astype(odd, Dtype::int32)), test::numbers(test::count(native, {100})));
    EXPECT_EQ(test::numbers(to_device(odd, test::device("sim:0"))), test::numbers(test::count(native, {100})));
  }
}

TEST_F(CopyInto, ToDeviceGivesTheArrayAViewOrACopy) {
  const Array array = test::count(test::device("native:0"), {2, 3});
  EXPECT_EQ(to_device(array, array.device()).buffer(), array.buffer());
  const Array view = to_device(transpose(array), test::device("native:1"));
  EXPECT_EQ(view.data(), array.data());
  EXPECT_EQ(view.strides(), (Dims{8, 24}));
  EXPECT_EQ(view.device().spec(), "native:1");
  const Array there = to_device(transpose(array), test::device("sim:1"));
  EXPECT_EQ(there.strides(), (Dims{16, 8}));
  EXPECT_EQ(test::numbers(there), test::numbers(transpose(array)));
}

TEST_F(CopyInto, AstypeAndCopyAreAlwaysFresh) {
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {2, 3});
    for (const Array& fresh :
         {copy(array), astype(array, Dtype::int64), copy(transpose(array)), copy(array.broadcast_to({2, 2, 3}))}) {
      EXPECT_NE(fresh.buffer(), array.buffer());
      EXPECT_TRUE(fresh.is_c_contiguous());
    }
    EXPECT_EQ(contiguous(array).buffer(), array.buffer());
    EXPECT_EQ(astype_if_needed(array, Dtype::int64).buffer(), array.buffer());
    EXPECT_EQ(test::numbers(copy(array.broadcast_to({2, 2, 3}))),
              (std::vector<double>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  }
}

TEST_F(CopyInto, PullsOneElementOnly) {
  std::byte element[16];
  for (const auto& spec : test::kDevices) {
    const Array array = test::count(test::device(spec), {3});
    EXPECT_EQ(test::thrown<TypeError>([&] { pull(array, element, "float"); }),
              "float: only an array of size 1 is a scalar, this one has shape (3,)");
    EXPECT_THROW(pull(array.view({0}, {8}), element, "float"), TypeError);
    pull(array.view({1}, {8}, 16), element, "float");
    EXPECT_EQ(std::get<std::int64_t>(load(element, Dtype::int64).value), 2);
  }
}

}  // namespace
}  // namespace crossdock
