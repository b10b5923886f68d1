#include "crossdock/array/dlpack.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "arrays.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

// Calls the deleter, as a consumer does.
template <class Struct>
struct Deletes {
  void operator()(Struct* tensor) const { tensor->deleter(tensor); }
};
using Versioned = std::unique_ptr<dlpack::ManagedVersioned, Deletes<dlpack::ManagedVersioned>>;
using Legacy = std::unique_ptr<dlpack::Managed, Deletes<dlpack::Managed>>;

Versioned leave(const Array& array, bool copied = false) { return Versioned(dlpack::export_versioned(array, copied)); }

// A tensor of somebody else: float32, [[0, 1, 2], [3, 4, 5]] in host memory.
template <class Struct>
struct Foreign : Struct {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 3}, strides{3, 1};
  int deleted = 0;

  Foreign() : Struct{} {
    auto& tensor = this->tensor;
    tensor.data = memory.data();
    tensor.device = {dlpack::kCpu, 0};
    tensor.ndim = 2;
    tensor.dtype = {2, 32, 1};
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    this->context = &deleted;
    this->deleter = [](Struct* self) { ++*static_cast<int*>(self->context); };
    if constexpr (std::is_same_v<Struct, dlpack::ManagedVersioned>) this->version = {1, 0};
  }
};
using ForeignVersioned = Foreign<dlpack::ManagedVersioned>;
using ForeignLegacy = Foreign<dlpack::Managed>;

TEST(DlpackExport, SaysWhatTheArrayIs) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    for (int i = 0; i < kDtypeCount; ++i) {
      const auto dtype = static_cast<Dtype>(i);
      const Array array = permute_dims(Array::empty({2, 3}, dtype, device), {1, 0});
      const auto managed = leave(array);
      const dlpack::Tensor& tensor = managed->tensor;
      EXPECT_EQ(managed->version.major, 1u);
      EXPECT_EQ(tensor.data, array.data());
      EXPECT_EQ(tensor.byte_offset, 0u);
      EXPECT_EQ(tensor.device.type, device.dlpack_type());
      EXPECT_EQ(tensor.device.id, device.dlpack_id());
      EXPECT_EQ(Dims(tensor.shape, tensor.ndim), (Dims{3, 2}));
      EXPECT_EQ(Dims(tensor.strides, tensor.ndim), (Dims{1, 3}));
      EXPECT_EQ(find_dtype(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes), dtype);
      const bool small = dtype == Dtype::int4 || dtype == Dtype::uint4;
      EXPECT_EQ(managed->flags, small ? dlpack::kSubbytePadded : 0u);
    }
  }
}

TEST(DlpackExport, FlagsReadOnlyAndCopied) {
  const Array array = test::count(test::device("native:0"), {3});
  EXPECT_EQ(leave(array, true)->flags, dlpack::kIsCopied);
  EXPECT_EQ(leave(array.as_readonly())->flags, dlpack::kReadOnly);
  EXPECT_EQ(leave(array.as_readonly(), true)->flags, dlpack::kReadOnly | dlpack::kIsCopied);
}

TEST(DlpackExport, GivesPlainStridesWhereNoStepIsTaken) {
  const Array array = test::count(test::device("native:0"), {6});
  const auto strides = [](const Array& view) {
    const auto managed = leave(view);
    return Dims(managed->tensor.strides, managed->tensor.ndim);
  };
  EXPECT_EQ(strides(array.view({1, 3}, {-77, 16})), (Dims{3, 2}));
  EXPECT_EQ(strides(array.view({2, 0, 2}, {-77, 3, 5})), (Dims{2, 2, 1}));
  EXPECT_EQ(strides(array.view({2, 3}, {0, -8}, 16)), (Dims{0, -1}));
  EXPECT_EQ(strides(array.view({}, {})), Dims{});
}

TEST(DlpackExport, RefusesWhatDlpackCannotSay) {
  const Array array = test::count(test::device("native:0"), {4});
  const Array uneven = array.view({2}, {12});
  EXPECT_FALSE(dlpack::can_export(uneven));
  EXPECT_THROW(dlpack::export_versioned(uneven, false), ExchangeError);
  EXPECT_THROW(dlpack::export_legacy(uneven), ExchangeError);
  EXPECT_TRUE(dlpack::can_export(array.view({1}, {12})));
  EXPECT_THROW(dlpack::export_legacy(array.as_readonly()), ExchangeError);
  // Nothing in the older struct says that each element has a byte of its own.
  EXPECT_THROW(dlpack::export_legacy(Array::empty({2}, Dtype::int4, test::device("native:0"))), ExchangeError);
}

TEST(DlpackExport, HoldsTheMemoryUntilItIsDeleted) {
  for (const auto& spec : test::kDevices) {
    Device& device = test::device(spec);
    const std::int64_t before = device.memory_info().used;
    {
      const Versioned versioned = leave(test::count(device, {100}));
      const Legacy legacy(dlpack::export_legacy(test::count(device, {100})));
      EXPECT_EQ(device.memory_info().used, before + 1600);
    }
    EXPECT_EQ(device.memory_info().used, before);
  }
}

TEST(DlpackImport, BringsOursBackToItsDevice) {
  for (const char* spec : {"native:0", "sim:0", "sim:1"}) {
    Device& device = test::device(spec);
    const std::int64_t before = device.memory_info().used;
    {
      const Array array = test::count(device, {2, 3});
      const Array back = dlpack::import_versioned(dlpack::export_versioned(flip(array, std::nullopt), false));
      EXPECT_EQ(&back.device(), &device);
      EXPECT_EQ(back.data(), array.data() + 40);
      EXPECT_EQ(back.strides(), (Dims{-24, -8}));
      EXPECT_FALSE(back.readonly());
      EXPECT_TRUE(dlpack::import_versioned(dlpack::export_versioned(array.as_readonly(), false)).readonly());
      EXPECT_TRUE(dlpack::import_legacy(dlpack::export_legacy(array)).readonly());
      const Array kept = dlpack::import_versioned(dlpack::export_versioned(test::count(device, {3}), false));
      EXPECT_EQ(test::bytes_as<std::int64_t>(kept), (std::vector<std::int64_t>{0, 1, 2}));
    }
    EXPECT_EQ(device.memory_info().used, before);
  }
  const Array four = test::make(test::device("native:0"), {3}, Dtype::int4, {-8, 0, 7});
  EXPECT_EQ(test::numbers(dlpack::import_versioned(dlpack::export_versioned(four, false))),
            (std::vector<double>{-8, 0, 7}));
}

TEST(DlpackImport, ReadsTheMemoryOfOthers) {
  struct Case {
    std::function<void(ForeignVersioned&)> change;
    Dims shape;
    std::vector<float> values;
  };
  const std::vector<Case> cases = {
      {[](auto&) {}, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {[](auto& t) { t.tensor.strides = nullptr; }, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {[](auto& t) { t.tensor.ndim = 0, t.tensor.shape = t.tensor.strides = nullptr; }, {}, {0}},
      {[](auto& t) { t.tensor.byte_offset = 12, t.shape[0] = 1, t.strides[0] = INT64_MAX; }, {1, 3}, {3, 4, 5}},
      {[](auto& t) { t.tensor.byte_offset = 20, t.strides = {-3, -1}; }, {2, 3}, {5, 4, 3, 2, 1, 0}},
      {[](auto& t) { t.strides = {0, 2}, t.tensor.byte_offset = 4, t.shape[1] = 2; }, {2, 2}, {1, 3, 1, 3}},
      {[](auto& t) { t.shape[0] = 0, t.tensor.data = nullptr, t.tensor.byte_offset = 64; }, {0, 3}, {}},
      {[](auto& t) { t.shape[0] = 0, t.strides = {INT64_MIN, INT64_MAX}; }, {0, 3}, {}},
      {[](auto& t) { t.tensor.device = {dlpack::kCudaHost, 0}; }, {2, 3}, {0, 1, 2, 3, 4, 5}},
      {[](auto& t) { t.version.minor = 99; }, {2, 3}, {0, 1, 2, 3, 4, 5}},
  };
  test::device("native:0");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    ForeignVersioned foreign;
    cases[i].change(foreign);
    {
      const Array array = dlpack::import_versioned(&foreign);
      EXPECT_EQ(array.shape(), cases[i].shape);
      EXPECT_EQ(test::bytes_as<float>(array), cases[i].values);
      EXPECT_FALSE(array.readonly());
      const Array view = expand_dims(array, {0});
      EXPECT_EQ(foreign.deleted, 0);
    }
    EXPECT_EQ(foreign.deleted, 1);
  }
  ForeignVersioned shut;
  shut.flags = dlpack::kReadOnly;
  EXPECT_TRUE(dlpack::import_versioned(&shut).readonly());
}

TEST(DlpackImport, DeletesOnceWhatItCannotRead) {
  using Change = std::function<void(ForeignVersioned&)>;
  const std::vector<std::pair<const char*, Change>> cases = {
      {"version", [](auto& t) { t.version = {2, 0}; }},
      {"lanes", [](auto& t) { t.tensor.dtype.lanes = 4; }},
      {"code", [](auto& t) { t.tensor.dtype.code = 200; }},
      {"bits", [](auto& t) { t.tensor.dtype.bits = 24; }},
      {"packed int4", [](auto& t) { t.tensor.dtype = {0, 4, 1}; }},
      {"ndim -1", [](auto& t) { t.tensor.ndim = -1; }},
      {"ndim 65", [](auto& t) { t.tensor.ndim = 65; }},
      {"ndim max", [](auto& t) { t.tensor.ndim = INT32_MAX; }},
      {"no shape", [](auto& t) { t.tensor.shape = nullptr; }},
      {"negative extent", [](auto& t) { t.shape[0] = -1; }},
      {"too many elements", [](auto& t) { t.shape = {INT64_MAX, INT64_MAX}; }},
      {"too many bytes", [](auto& t) { t.shape = {INT64_MAX, 1}; }},
      {"no data", [](auto& t) { t.tensor.data = nullptr; }},
      {"stride", [](auto& t) { t.strides[0] = INT64_MAX / 2; }},
      {"extent", [](auto& t) { t.shape[0] = 3, t.strides[0] = INT64_MAX / 4; }},
      {"cuda", [](auto& t) { t.tensor.device = {dlpack::kCuda, 0}; }},
      {"extension", [](auto& t) { t.tensor.device = {dlpack::kExtension, 0}; }},
      {"sim of others", [](auto& t) { t.tensor.device = {test::device("sim:0").dlpack_type(), 0}; }},
  };
  test::device("native:0");
  for (const auto& [what, change] : cases) {
    SCOPED_TRACE(what);
    ForeignVersioned foreign;
    change(foreign);
    foreign.tensor.shape = foreign.tensor.shape ? foreign.shape.data() : nullptr;
    foreign.tensor.strides = foreign.strides.data();
    EXPECT_THROW(dlpack::import_versioned(&foreign), ExchangeError);
    EXPECT_EQ(foreign.deleted, 1);
    if (foreign.version.major > 1) continue;
    ForeignLegacy legacy;
    legacy.tensor = foreign.tensor;
    EXPECT_THROW(dlpack::import_legacy(&legacy), ExchangeError);
    EXPECT_EQ(legacy.deleted, 1);
  }
}

TEST(DlpackImport, NeedsNoDeleter) {
  test::device("native:0");
  ForeignVersioned versioned;
  versioned.deleter = nullptr;
  EXPECT_EQ(dlpack::import_versioned(&versioned).size(), 6);
  versioned.tensor.ndim = -1;
  EXPECT_THROW(dlpack::import_versioned(&versioned), ExchangeError);
  versioned.version.major = 2;
  EXPECT_THROW(dlpack::import_versioned(&versioned), ExchangeError);
  ForeignLegacy legacy;
  legacy.deleter = nullptr;
  EXPECT_EQ(dlpack::import_legacy(&legacy).size(), 6);
}

TEST(DlpackImport, CannotWriteThroughALegacyTensor) {
  test::device("native:0");
  ForeignLegacy foreign;
  {
    const Array array = dlpack::import_legacy(&foreign);
    EXPECT_TRUE(array.readonly());
    EXPECT_EQ(test::bytes_as<float>(array), foreign.memory);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DlpackBorrow, KeepsItsStridesWithTheArray) {
  for (const auto& spec : test::kDevices) {
    const Array array = permute_dims(Array::empty({2, 3, 4}, Dtype::float64, test::device(spec)), {2, 0, 1});
    const dlpack::Tensor tensor = dlpack::borrow(array);
    EXPECT_EQ(tensor.data, array.data());
    EXPECT_EQ(Dims(tensor.shape, tensor.ndim), (Dims{4, 2, 3}));
    EXPECT_EQ(Dims(tensor.strides, tensor.ndim), (Dims{1, 12, 4}));
    EXPECT_EQ(dlpack::borrow(array).strides, tensor.strides);
    const Array copied = array;  // NOLINT: strides of its own
    EXPECT_NE(dlpack::borrow(copied).strides, tensor.strides);
  }
}

TEST(DlpackBorrow, StridesAreMadeOnceByManyThreads) {
  for (int round = 0; round < 50; ++round) {
    const Array array = Array::empty({2, 3}, Dtype::int16, test::device("native:0"));
    std::array<std::int64_t*, 4> seen{};
    std::vector<std::thread> threads;
    for (auto& strides : seen) threads.emplace_back([&] { strides = dlpack::borrow(array).strides; });
    for (auto& thread : threads) thread.join();
    for (auto* strides : seen) {
      EXPECT_EQ(strides, seen[0]);
      EXPECT_EQ(Dims(strides, 2), (Dims{3, 1}));
    }
  }
}

TEST(DlpackBorrow, RefusesStridesThatAreNoWholeElements) {
  const Array array = Array::empty({12}, Dtype::int32, test::device("native:0"));
  EXPECT_THROW(dlpack::borrow(array.view({2}, {5})), ExchangeError);
  EXPECT_NO_THROW(dlpack::borrow(array.view({1}, {5})));
  Array other = array.view({3}, {4});
  EXPECT_EQ(dlpack::borrow(other).strides[0], 1);
  other = array.view({3}, {-8}, 40);
  EXPECT_EQ(dlpack::borrow(other).strides[0], -2);
}

TEST(DlpackBorrow, ScalarsHaveAnAddressForTheirNoStrides) {
  const Array array = Array::empty({}, Dtype::int32, test::device("native:0"));
  EXPECT_NE(dlpack::borrow(array).strides, nullptr);
}

TEST(DlpackImport, ATensorIsDescribedWithoutItsMemory) {
  ForeignVersioned foreign;
  const dlpack::View view(foreign.tensor, false);
  EXPECT_EQ(view.data, reinterpret_cast<std::byte*>(foreign.memory.data()));
  const Array array = dlpack::import_versioned(&foreign);
  EXPECT_EQ(view.shape, array.shape());
  EXPECT_EQ(view.strides, array.strides());
  EXPECT_EQ(view.begin, reinterpret_cast<std::uintptr_t>(view.data));
  EXPECT_EQ(view.nbytes, array.buffer()->nbytes());
  foreign.tensor.ndim = -1;
  EXPECT_THROW(dlpack::View(foreign.tensor, false), ExchangeError);
}

TEST(DlpackAllocate, MakesWhatThePrototypeSays) {
  for (const auto& spec : test::kDevices) {
    const Array like = Array::empty({2, 3}, Dtype::bfloat16, test::device(spec));
    const Array made = dlpack::allocate(dlpack::borrow(like));
    EXPECT_EQ(made.shape(), like.shape());
    EXPECT_EQ(made.dtype(), like.dtype());
    EXPECT_EQ(&made.device(), &like.device());
    EXPECT_NE(made.data(), like.data());
    for (const auto& spoil : std::vector<std::function<void(dlpack::Tensor&)>>{
             [](auto& t) { t.ndim = 65; }, [](auto& t) { t.shape = nullptr; }, [](auto& t) { t.dtype.lanes = 2; },
             [](auto& t) { t.device = {2, 0}; }, [](auto& t) { t.device = {dlpack::kExtension, 1000}; }}) {
      dlpack::Tensor wrong = dlpack::borrow(like);
      spoil(wrong);
      EXPECT_THROW(dlpack::allocate(wrong), ExchangeError);
    }
  }
}

}  // namespace
}  // namespace crossdock
