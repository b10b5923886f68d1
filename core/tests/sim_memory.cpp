#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "../backends/sim/memory.h"
#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

std::byte* data_of(const std::vector<std::byte>& bytes) { return const_cast<std::byte*>(bytes.data()); }

TEST(SimMemory, FaultsWhenTheHostTouchesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Device& sim = test::device("sim:0");
  test::Held block(sim, 1000);
  auto* data = reinterpret_cast<volatile char*>(block.data());
  EXPECT_DEATH({ [[maybe_unused]] char read = data[0]; }, "");
  EXPECT_DEATH(data[999] = 1, "");
}

TEST(SimMemory, BringsBackWhatWasSent) {
  Device& sim = test::device("sim:0");
  Stream& stream = sim.default_stream();
  std::vector<std::byte> sent(100'001), back(100'001);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7);
  test::Held block(sim, sent.size());
  sim.upload(block.data(), sent.data(), sent.size(), stream, nullptr, true);
  sim.download(data_of(back), block.data(), back.size(), stream, nullptr, true);
  EXPECT_EQ(back, sent);
  sim.download(data_of(back), block.data() + 5, 10, stream, nullptr, true);
  EXPECT_EQ(back[0], sent[5]);
}

TEST(SimMemory, RefusesAddressesOfOtherMemory) {
  Device &sim = test::device("sim:0"), &other = test::device("sim:1"), &native = test::device("native:0");
  Stream& stream = sim.default_stream();
  std::byte host[8] = {};
  test::Held here(sim, 8), there(other, 8);
  EXPECT_THROW(sim.upload(host, host, 8, stream, nullptr, true), DeviceError);
  EXPECT_THROW(sim.download(host, there.data(), 8, stream, nullptr, true), DeviceError);
  EXPECT_THROW(sim.upload(here.data(), host, std::size_t{1} << 50, stream, nullptr, true), DeviceError);
  EXPECT_THROW(sim.copy_from(here.data(), native, host, 8, stream), DeviceError);
  EXPECT_THROW(sim.upload(here.data(), host, 8, other.default_stream(), nullptr, true), DeviceError);
  EXPECT_THROW(native.copy_from(host, sim, here.data(), 8, native.default_stream()), DeviceError);
}

TEST(SimMemory, CountsAndGivesBack) {
  Device& sim = test::device("sim:0");
  sim.synchronize();
  sim.allocator().trim();
  MemoryInfo before = sim.memory_info();
  {
    test::Held block(sim, 5'000'000);
    EXPECT_EQ(sim.memory_info().used, before.used + 5'000'000);
    EXPECT_LE(sim.memory_info().free, before.free - 5'000'000);
  }
  sim.allocator().trim();
  MemoryInfo after = sim.memory_info();
  EXPECT_EQ(after.used, before.used);
  EXPECT_EQ(after.free, before.free);
  EXPECT_EQ(after.total, before.total);
}

TEST(SimMemory, IsFullAtItsTotal) {
  Device& sim = test::device("sim:0");
  auto total = static_cast<std::size_t>(sim.memory_info().total);
  try {
    test::Held block(sim, total + 1);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.requested, static_cast<std::int64_t>(total) + 1);
    EXPECT_EQ(error.device, "sim:0");
  }
}

TEST(SimMemory, IsNotGivenToOthersWhileWorkStillUsesIt) {
  Device& sim = test::device("sim:0");
  constexpr std::size_t kSize = 1 << 20;
  std::vector<std::byte> ones(kSize, std::byte{1}), back(kSize);
  test::Held result(sim, kSize);
  std::atomic<bool> go{false};
  {
    test::Held source(sim, kSize);
    sim.upload(source.data(), ones.data(), kSize, sim.default_stream(), nullptr, true);
    sim.default_stream().enqueue("hold", [&] {
      while (!go) std::this_thread::yield();
    });
    sim.copy_from(result.data(), sim, source.data(), kSize, sim.default_stream());
  }
  sim.allocator().trim();  // the freed source may not lose its bytes yet
  go = true;
  sim.download(data_of(back), result.data(), kSize, sim.default_stream(), nullptr, true);
  EXPECT_EQ(back, ones);
}

TEST(SimMemory, MergesWhatIsFree) {
  sim::Memory memory(10'000);
  std::byte* blocks[10];
  for (auto& block : blocks) block = memory.take(960);
  EXPECT_EQ(memory.take(960), nullptr);
  for (int i : {1, 3, 5, 7, 9, 0, 2, 8, 6, 4}) memory.give_back(blocks[i], 960);
  EXPECT_EQ(memory.free_nbytes(), 10'000);
  EXPECT_NE(memory.take(10'000), nullptr);
}

TEST(SimMemory, AliasesOnlyItself) {
  sim::Memory memory(1 << 20);
  std::byte local{};
  EXPECT_EQ(memory.alias(&local, 1), nullptr);
  std::byte* block = memory.take(4096);
  EXPECT_EQ(memory.alias(&local, 1), nullptr);
  EXPECT_EQ(memory.alias(block - 1, 1), nullptr);
  EXPECT_EQ(memory.alias(block, (1 << 20) + 1), nullptr);
  std::byte* alias = memory.alias(block, 4096);
  ASSERT_NE(alias, nullptr);
  std::memset(alias, 1, 4096);
  EXPECT_EQ(memory.alias(block + 100, 1), alias + 100);
}

TEST(SimMemory, MakesDoWithLessWhenTheSystemRefuses) {
  sim::Memory memory(std::int64_t{1} << 62);
  EXPECT_NE(memory.take(64), nullptr);
  EXPECT_LT(memory.size(), std::int64_t{1} << 48);
}

}  // namespace
}  // namespace crossdock
