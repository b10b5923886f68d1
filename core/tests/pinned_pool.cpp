#include "crossdock/runtime/pinned_pool.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"
#include "in_child.h"

namespace crossdock {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::size_t kChunk = PinnedPool::kChunk;

// Counts what the pool has of it.
class Counted final : public PinnedMemory {
 public:
  explicit Counted(std::atomic<std::int64_t>& held, std::int64_t most = INT64_MAX) : held_(held), most_(most) {}
  std::byte* take(std::size_t nbytes) noexcept override {
    if (held_ + static_cast<std::int64_t>(nbytes) > most_) return nullptr;
    held_ += static_cast<std::int64_t>(nbytes);
    return static_cast<std::byte*>(std::aligned_alloc(4096, nbytes));
  }
  void give_back(std::byte* data, std::size_t nbytes) noexcept override {
    held_ -= static_cast<std::int64_t>(nbytes);
    std::free(data);
  }

 private:
  std::atomic<std::int64_t>& held_;
  std::int64_t most_;
};

TEST(PinnedPool, ReusesBlocksAndGivesThemBack) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held));
  auto block = pool.take(5000);
  EXPECT_EQ(block->nbytes(), 8192u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 4096, 0u);
  const std::byte* first = block->data();
  EXPECT_EQ(pool.statistics().used, 8192);
  block.reset();
  EXPECT_EQ(pool.statistics().used, 0);
  EXPECT_EQ(pool.statistics().pooled, 8192);
  block = pool.take(8192);
  EXPECT_EQ(block->data(), first);
  block.reset();
  pool.free_all_blocks();
  EXPECT_EQ(pool.statistics().pooled, 0);
  EXPECT_EQ(pool.statistics().high_water, 8192);
  EXPECT_EQ(held, 0);
}

TEST(PinnedPool, StaysWithinItsLimit) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held));
  pool.set_limit(8 * kMiB);
  EXPECT_THROW(pool.set_limit(8 * kMiB - 1), ValueError);
  auto one = pool.take(kChunk), two = pool.try_take(kChunk);
  ASSERT_TRUE(two);
  EXPECT_FALSE(pool.try_take(1));
  EXPECT_THROW(pool.take_for_array(1), OutOfMemoryError);
  one.reset();
  EXPECT_TRUE(pool.try_take(10));  // what is kept makes room
  EXPECT_LE(held, 8 * kMiB);
  EXPECT_LE(pool.statistics().high_water, 8 * kMiB);
}

TEST(PinnedPool, ArraysLeaveRoomForCopies) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held));
  pool.set_limit(16 * kMiB);
  auto array = pool.take_for_array(8 * kMiB - 10);
  EXPECT_THROW(pool.take_for_array(4096), OutOfMemoryError);
  EXPECT_THROW(pool.take_for_array(SIZE_MAX), OutOfMemoryError);
  auto one = pool.take(kChunk), two = pool.take(kChunk);
  EXPECT_TRUE(pool.holds(array->data(), 8 * kMiB - 10));
  EXPECT_TRUE(pool.holds(array->data() + 100, 1));
  EXPECT_FALSE(pool.holds(array->data() + 100, 8 * kMiB));
  EXPECT_FALSE(pool.holds(one->data(), 1));
  EXPECT_TRUE(pool.has_arrays());
  const std::byte* data = array->data();
  array.reset();
  EXPECT_FALSE(pool.holds(data, 1));
  EXPECT_FALSE(pool.has_arrays());
}

TEST(PinnedPool, NoMemoryIsAnError) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held, 4 * kMiB));
  auto one = pool.take(kChunk);
  EXPECT_FALSE(pool.try_take(kChunk));
  EXPECT_THROW(pool.take(kChunk), OutOfMemoryError);
  EXPECT_EQ(pool.statistics().used, 4 * kMiB);
}

TEST(PinnedPool, WaitsForWhatOthersHold) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held));
  pool.set_limit(8 * kMiB);
  auto one = pool.take(kChunk), two = pool.take(kChunk);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    one.reset();
  });
  EXPECT_TRUE(pool.take(kChunk));
  later.join();
}

TEST(PinnedPool, ManyThreads) {
  std::atomic<std::int64_t> held{0};
  {
    PinnedPool pool(std::make_unique<Counted>(held));
    pool.set_limit(8 * kMiB);
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id)
      threads.emplace_back([&pool, id] {
        for (int i = 0; i < 50; ++i) {
          auto first = pool.take(kChunk >> (i % 3));
          auto more = pool.try_take(4096);
          std::memset(first->data(), id, 64);
          if (more) more->data()[0] = std::byte{1};
          if (i % 16 == id) pool.free_all_blocks();
          EXPECT_EQ(first->data()[63], static_cast<std::byte>(id));
          EXPECT_LE(pool.statistics().used, 8 * kMiB);
        }
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(pool.statistics().used, 0);
    EXPECT_LE(pool.statistics().high_water, 8 * kMiB);
  }
  EXPECT_EQ(held, 0);
}

TEST(PinnedPool, AChildHasRoomWhateverOthersHeld) {
  std::atomic<std::int64_t> held{0};
  PinnedPool pool(std::make_unique<Counted>(held));
  pool.set_limit(8 * kMiB);
  auto one = pool.take(kChunk), two = pool.take(kChunk);
  EXPECT_TRUE(test::in_child([&] {
    auto here = pool.take(kChunk);
    here->data()[0] = std::byte{1};
    one.reset();
    return pool.take(kChunk) != nullptr;
  }));
}

}  // namespace
}  // namespace crossdock
