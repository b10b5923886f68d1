// Copies through chunks of pinned memory, in every layout, on any number of threads, with failures in the middle.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "arrays.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/packing.h"
#include "crossdock/runtime/error.h"

namespace crossdock {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Device& host() { return test::device("native:0"); }
Device& sim() { return test::device("sim:0"); }
PinnedPool& pool() { return sim().backend().pinned_pool(); }

Array counted(const Dims& shape) {
  Array out = Array::empty(shape, Dtype::float64, host());
  auto* values = reinterpret_cast<double*>(out.data());
  for (std::int64_t i = 0; i < out.size(); ++i) values[i] = static_cast<double>(i % 100'003);
  return out;
}

double value_at(const Array& array, std::int64_t offset) {
  if (array.dtype() == Dtype::float32) {
    float value;
    std::memcpy(&value, array.data() + offset, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, array.data() + offset, sizeof value);
  return value;
}

// Element by element, both on the host.
void expect_equal(const Array& got, const Array& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  const auto here = test::offsets(got.shape(), got.strides()), there = test::offsets(got.shape(), wanted.strides());
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < here.size(); ++i) wrong += value_at(got, here[i]) != value_at(wanted, there[i]);
  EXPECT_EQ(wrong, 0);
}

Array back(const Array& array) {
  Array out = Array::empty(array.shape(), array.dtype(), host());
  copy_into(out, array);
  return out;
}

TEST(Staging, EveryLayoutAndDirection) {
  const Array base = counted({3, 1100, 500});  // 13 MB: several chunks
  for (const Array& source : {base, transpose(base), base.view({3, 550, 250}, {-4'400'000, 8000, 16}, 8'800'000),
                              base.view({1100, 1500}, {0, 8}), base.view({1'650'000}, {8})}) {
    for (Dtype there : {Dtype::float64, Dtype::float32}) {
      Array far = Array::empty(source.shape(), there, sim());
      copy_into(far, source);
      expect_equal(back(far), source);
      Array wide = Array::empty(source.shape(), Dtype::float64, host());
      copy_into(wide, far);
      expect_equal(wide, source);
      // Into a layout that is not contiguous, on either side.
      Dims turned = source.shape();
      std::reverse(turned.begin(), turned.end());
      const Array crooked = transpose(Array::empty(turned, Dtype::float64, sim()));
      copy_into(crooked, source);
      const Array bent = transpose(Array::empty(turned, Dtype::float32, host()));
      copy_into(bent, crooked);
      expect_equal(bent, source);
    }
  }
  EXPECT_EQ(pool().statistics().used, 0);
}

TEST(Staging, BroadcastsTravelOnce) {
  const Array row = counted({700'000});
  const Array far = Array::empty({3, 700'000}, Dtype::float32, sim());
  const auto before = sim::counters(0);
  copy_into(far, row);
  EXPECT_EQ(sim::counters(0).host_to_device_nbytes - before.host_to_device_nbytes, 700'000 * 4);
  expect_equal(back(far), row.broadcast_to({3, 700'000}));
}

TEST(Staging, TheSourceMayBeChangedAtOnce) {
  Array source = counted({2'000'000});
  const Array far = Array::empty({2'000'000}, Dtype::float64, sim());
  copy_into(far, source);
  std::memset(source.data(), 0, static_cast<std::size_t>(source.nbytes()));
  expect_equal(back(far), counted({2'000'000}));
}

TEST(Staging, NoTemporaryIsLargerThanAChunk) {
  const Array base = counted({2000, 2000});
  const Array far = Array::empty({2000, 2000}, Dtype::float32, sim());
  pool().free_all_blocks();
  const auto used = host().memory_info().used, used_there = sim().memory_info().used;
  copy_into(far, transpose(base));
  EXPECT_EQ(host().memory_info().used, used);
  EXPECT_EQ(sim().memory_info().used, used_there);
  EXPECT_LE(pool().statistics().pooled, 3 * 4 * kMiB);
}

TEST(Staging, OrderOfTheStreamIsKept) {
  const Array ones = counted({3'000'000});
  const Array far = Array::empty({3'000'000}, Dtype::float32, sim());
  copy_into(far, ones);
  const Array again = copy(far);  // queued behind the copy
  copy_into(far, counted({1}));
  expect_equal(back(again), ones);
}

TEST(Staging, FailuresInTheMiddle) {
  const Array source = counted({3'000'000});
  for (const char* fault : {"copy_error", "device_lost"}) {
    for (std::int64_t after = 0; after < 8; ++after) {
      SCOPED_TRACE(fault + std::to_string(after));
      const auto used = sim().memory_info().used;
      {
        test::Faults faults;
        const Array far = Array::empty({3'000'000}, Dtype::float32, sim());
        sim::inject(fault, 0, after);
        EXPECT_THROW(
            {
              copy_into(far, source);
              sim().synchronize();
            },
            AsyncDeviceError);
        const Array home = Array::empty({3'000'000}, Dtype::float64, host());
        sim::clear_faults();
        sim().synchronize();   // all was told
        copy_into(home, far);  // the device works again
        sim::inject(fault, 0, after);
        EXPECT_THROW(
            {
              copy_into(home, far);
              sim().synchronize();
            },
            AsyncDeviceError);
      }
      EXPECT_EQ(sim().memory_info().used, used);
      EXPECT_EQ(pool().statistics().used, 0);
    }
  }
}

TEST(Staging, ManyThreads) {
  pool().set_limit(8 * kMiB);  // fewer chunks than they want
  const Array source = counted({1'500'000});
  std::vector<std::thread> threads;
  for (int id = 0; id < 3; ++id)
    threads.emplace_back([&, id] {
      Device& device = test::device(id % 2 ? "sim:1" : "sim:0");
      for (int i = 0; i < 3; ++i) {
        const Array far = Array::empty({1'500'000}, Dtype::float32, device);
        copy_into(far, source);
        const Array home = Array::empty({1'500'000}, Dtype::float64, host());
        copy_into(home, far);
        EXPECT_EQ(std::memcmp(home.data(), source.data(), static_cast<std::size_t>(home.nbytes())), 0);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool().statistics().used, 0);
  EXPECT_LE(pool().statistics().high_water, 256 * kMiB);
  pool().set_limit(256 * kMiB);
}

TEST(Staging, PinnedArraysCrossAtOnce) {
  auto block = pool().take_for_array(12'000'000);
  auto buffer = Buffer::borrow(host(), block->data(), 12'000'000, [block] {});
  const Array pinned(buffer, block->data(), Dtype::float64, {1'500'000}, {8}, false);
  copy_into(pinned, counted({1'500'000}));
  const Array far = Array::empty({1'500'000}, Dtype::float64, sim());
  const auto before = sim::counters(0);
  copy_into(far, pinned);
  EXPECT_EQ(sim::counters(0).copies - before.copies, 1);
  expect_equal(back(far), pinned);
}

TEST(Packing, ThereAndBack) {
  const Array base = counted({64, 700});
  std::vector<Parcels> blocks(2);
  std::vector<Array> sources;
  for (int i = 0; i < 40; ++i) {
    const Array one = i % 4 == 0 ? transpose(base) : base.view({64 - i, 700}, {5600, 8}, 5600 * i);
    sources.push_back(one);
    blocks[static_cast<std::size_t>(i) / 20].push_back({one, i % 3 ? Dtype::float64 : Dtype::float32});
  }
  sources.push_back(Array::empty({0, 3}, Dtype::float64, host()));
  blocks[1].push_back({sources.back(), Dtype::float64});
  for (auto& parcels : blocks)
    for (auto& parcel : parcels) parcel.from = parcel.from.view({parcel.from.shape()[0], 5}, parcel.from.strides());
  const auto before = sim::counters(0);
  const auto used = sim().memory_info().used;
  {
    std::vector<Array> there = pack_to(sim(), blocks);
    EXPECT_EQ(sim::counters(0).copies - before.copies, 2);
    ASSERT_EQ(there.size(), sources.size());
    std::vector<std::vector<Unpacking>> ways(2);
    for (std::size_t i = 0; i < there.size(); ++i) {
      EXPECT_EQ((there[i].data() - there[i / 20 * 20].data()) % kPackAlignment, 0);
      const Array from = i % 5 ? there[i] : transpose(there[i]);
      ways[i % 2].push_back({Array::empty(from.shape(), i % 7 ? Dtype::float64 : Dtype::float32, host()), from});
    }
    const auto middle = sim::counters(0);
    unpack_from(sim(), ways);
    EXPECT_EQ(sim::counters(0).copies - middle.copies, 2);
    for (std::size_t i = 0; i < there.size(); ++i) {
      const Array home = ways[i % 2][i / 2].to;
      const Array wanted = blocks[i < 20 ? 0 : 1][i < 20 ? i : i - 20].from;
      expect_equal(i % 5 ? home : transpose(home), wanted);
    }
  }
  EXPECT_EQ(sim().memory_info().used, used);
  EXPECT_EQ(pool().statistics().used, 0);
}

TEST(Packing, FailuresLeaveNothing) {
  const Array base = counted({100, 100});
  const std::vector<Parcels> blocks(5, Parcels(9, {base, Dtype::float64}));
  const auto used = sim().memory_info().used;
  for (const char* fault : {"oom", "copy_error", "device_lost"}) {
    for (std::int64_t after = 0; after < 5; ++after) {
      test::Faults faults;
      sim::inject(fault, 0, after);
      EXPECT_THROW(
          {
            const auto there = pack_to(sim(), blocks);
            sim().synchronize();
          },
          DeviceError);
    }
    EXPECT_EQ(sim().memory_info().used, used);
    EXPECT_EQ(pool().statistics().used, 0);
  }
  EXPECT_THROW(pack_to(sim(), std::vector<Parcels>{Parcels(60, {base, Dtype::float64})}), ValueError);
}

}  // namespace
}  // namespace crossdock
