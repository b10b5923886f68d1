#include "crossdock/runtime/allocator.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

// Host memory with a small and exact total.
class Pretended final : public Allocator {
 public:
  explicit Pretended(std::int64_t total, std::size_t most_pooled = 1 << 30)
      : Allocator("pretended:0"), total_(total), most_pooled_(most_pooled) {}
  ~Pretended() override {
    trim();
    EXPECT_EQ(held_, 0);
  }
  std::atomic<std::int64_t> held_{0};
  std::atomic<int> raw_allocs_{0}, reclaims_{0};

 protected:
  std::byte* raw_alloc(std::size_t nbytes) noexcept override {
    if (held_ + static_cast<std::int64_t>(nbytes) > total_) return nullptr;
    held_ += static_cast<std::int64_t>(nbytes);
    ++raw_allocs_;
    return static_cast<std::byte*>(std::aligned_alloc(64, nbytes));
  }
  void raw_free(std::byte* data, std::size_t nbytes) noexcept override {
    held_ -= static_cast<std::int64_t>(nbytes);
    std::free(data);
  }
  std::int64_t total() const noexcept override { return total_; }
  std::int64_t free_raw() const noexcept override { return total_ - held_; }
  std::size_t max_pooled() const noexcept override { return most_pooled_; }
  void reclaim() override { ++reclaims_; }

 private:
  std::int64_t total_;
  std::size_t most_pooled_;
};

Stream* stream(int i) {  // compared only
  alignas(16) static char places[4][16];
  return reinterpret_cast<Stream*>(places[i]);
}

TEST(Allocator, ReusesABlockOfItsStream) {
  Pretended memory(1 << 20);
  Block first = memory.allocate(1000, stream(0));
  memory.release(first);
  Block again = memory.allocate(990, stream(0));
  EXPECT_EQ(again.data, first.data);
  memory.release(again);
  Block other = memory.allocate(1000, stream(1));
  EXPECT_NE(other.data, first.data) << "the first stream may still be at it";
  memory.release(other);
}

TEST(Allocator, ReusesEveryBlockOfAStreamThatEnded) {
  Pretended memory(1 << 20);
  Block first = memory.allocate(1000, stream(0));
  memory.release(first);
  memory.forget(*stream(0));
  Block other = memory.allocate(1000, stream(1));
  EXPECT_EQ(other.data, first.data);
  memory.release(other);
  memory.forget(*stream(3));
}

TEST(Allocator, CountsWhatWasAskedFor) {
  Pretended memory(1 << 20);
  Block block = memory.allocate(1000, stream(0));
  MemoryInfo info = memory.memory_info();
  EXPECT_EQ(info.used, 1000);
  EXPECT_EQ(info.pooled, 0);
  EXPECT_EQ(info.total, 1 << 20);
  EXPECT_EQ(info.free, (1 << 20) - static_cast<std::int64_t>(block.capacity));
  memory.release(block);
  info = memory.memory_info();
  EXPECT_EQ(info.used, 0);
  EXPECT_EQ(info.pooled, static_cast<std::int64_t>(block.capacity));
  memory.trim();
  EXPECT_EQ(memory.memory_info().pooled, 0);
  EXPECT_EQ(memory.memory_info().free, 1 << 20);
}

TEST(Allocator, GivesValidUniqueBlocksForNothing) {
  Pretended memory(1 << 20);
  Block a = memory.allocate(0, nullptr), b = memory.allocate(0, nullptr);
  EXPECT_NE(a.data, nullptr);
  EXPECT_NE(a.data, b.data);
  EXPECT_EQ(memory.memory_info().used, 0);
  memory.release(a);
  memory.release(b);
  memory.release(Block{});
}

TEST(Allocator, AlignsEveryBlock) {
  Pretended memory(1 << 24);
  for (std::size_t nbytes : {1, 63, 64, 65, 1000, 5000, 1 << 20}) {
    Block block = memory.allocate(nbytes, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 64, 0u);
    EXPECT_GE(block.capacity, nbytes);
    memory.release(block);
  }
}

TEST(Allocator, SaysWhatItHadWhenThereIsNoRoom) {
  Pretended memory(1'000'000);
  Block held = memory.allocate(400'000, stream(0));
  try {
    memory.allocate(8'000'000, stream(0));
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.device, "pretended:0");
    EXPECT_EQ(error.requested, 8'000'000);
    EXPECT_EQ(error.free, 1'000'000 - static_cast<std::int64_t>(held.capacity));
    EXPECT_EQ(error.pooled, 0);
    std::string message = error.what();
    for (auto word : {std::string("pretended:0"), std::string("8000000"), std::to_string(error.free)})
      EXPECT_NE(message.find(word), std::string::npos) << message;
  }
  EXPECT_EQ(memory.reclaims_, 1);
  EXPECT_EQ(memory.memory_info().used, 400'000);
  memory.release(held);
  EXPECT_THROW(memory.allocate(SIZE_MAX, nullptr), OutOfMemoryError);
}

TEST(Allocator, TrimsBeforeItGivesUp) {
  Pretended memory(1'000'000);
  memory.release(memory.allocate(600'000, stream(0)));
  Block block = memory.allocate(700'000, stream(0));
  EXPECT_EQ(memory.memory_info().pooled, 0);
  memory.release(block);
  block = memory.allocate(600'000, stream(1));
  memory.release(block);
}

TEST(Allocator, FillsADeviceToTheLastByte) {
  Pretended memory(1'000'000);
  Block block = memory.allocate(999'990, nullptr);  // its class is larger than the device
  EXPECT_EQ(memory.memory_info().free, 0);
  memory.release(block);
  Block smaller = memory.allocate(900'000, nullptr);
  memory.release(smaller);
}

TEST(Allocator, KeepsToItsLimit) {
  Pretended memory(1 << 30);
  memory.set_limit(1'000'000);
  Block block = memory.allocate(1'000'000, nullptr);
  EXPECT_THROW(memory.allocate(1, nullptr), OutOfMemoryError);
  EXPECT_EQ(memory.memory_info().free, 0);
  memory.release(block);
  MemoryInfo info = memory.memory_info();
  EXPECT_LE(info.used + info.pooled, 1'000'000);
  memory.set_limit(0);
  std::vector<Block> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(memory.allocate(100'000, nullptr));
  for (auto& one : blocks) memory.release(one);
  memory.set_limit(500'000);
  EXPECT_LE(memory.memory_info().pooled, 500'000);
  EXPECT_THROW(memory.set_limit(-1), ValueError);
}

TEST(Allocator, GivesBackWhatItMayNotKeep) {
  Pretended memory(1 << 30, 100'000);
  memory.release(memory.allocate(200'000, nullptr));
  EXPECT_EQ(memory.held_, 0);
  memory.release(memory.allocate(50'000, nullptr));
  EXPECT_EQ(memory.memory_info().pooled, memory.held_);
}

TEST(Allocator, ServesManyThreads) {
  Pretended memory(1 << 30);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Block> held;
      for (unsigned i = 0; i < 5000; ++i) {
        held.push_back(memory.allocate((i * 37) % 3000, stream(t % 2)));
        std::memset(held.back().data, t, held.back().requested);
        if (i % 3) {
          std::swap(held[i * 7 % held.size()], held.back());
          auto* data = reinterpret_cast<char*>(held.back().data);
          EXPECT_TRUE(std::all_of(data, data + held.back().requested, [&](char c) { return c == t; }));
          memory.release(held.back());
          held.pop_back();
        }
      }
      for (auto& block : held) memory.release(block);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory.memory_info().used, 0);
  EXPECT_EQ(memory.memory_info().pooled, memory.held_);
}

TEST(Allocator, GivesHugeHostBlocksThatCanBeUsed) {
  Device& native = test::device("native:0");
  for (std::size_t nbytes : {std::size_t{4} << 20, (std::size_t{9} << 20) + 1}) {
    test::Held block(native, nbytes);
    std::memset(block.data(), 1, nbytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % (2 << 20), 0u);
  }
  native.allocator().trim();
  EXPECT_EQ(native.memory_info().pooled, 0);
}

}  // namespace
}  // namespace crossdock
