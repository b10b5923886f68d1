#include "crossdock/runtime/thread_pool.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"
#include "in_child.h"

namespace crossdock {
namespace {

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { set_num_threads(4); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = num_threads();
};

bool covers_once(std::int64_t size, std::int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(size));
  parallel_for(size, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  for (auto& count : seen)
    if (count != 1) return false;
  return true;
}

TEST_F(ThreadPool, CoversEveryItemOnce) {
  for (std::int64_t size : {1, 2, 3, 7, 64, 100, 1000, 4097, 100003})
    for (std::int64_t grain : {-1, 0, 1, 2, 63, 1000}) EXPECT_TRUE(covers_once(size, grain)) << size << " by " << grain;
}

TEST_F(ThreadPool, DoesNothingForNothing) {
  parallel_for(0, 1, [](auto, auto) { FAIL(); });
  parallel_for(-5, 1, [](auto, auto) { FAIL(); });
}

TEST_F(ThreadPool, GivesNoPieceSmallerThanTheGrainButTheLast) {
  constexpr std::int64_t kSize = 100001;
  for (std::int64_t grain : {1, 100, 700, 33334}) {
    parallel_for(kSize, grain, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_TRUE(end - begin >= grain || end == kSize) << begin << " to " << end;
    });
  }
}

TEST_F(ThreadPool, TakesSizesNearTheLimitOfIntegers) {
  std::atomic<std::int64_t> items{0};
  constexpr std::int64_t kSize = std::int64_t{1} << 61;
  parallel_for(kSize, 1, [&](std::int64_t begin, std::int64_t end) { items += end - begin; });
  EXPECT_EQ(items, kSize);
}

TEST_F(ThreadPool, RunsInlineWhatIsSmall) {
  auto self = std::this_thread::get_id();
  int calls = 0;
  parallel_for(100, 100, [&](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, WorkersHelp) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(16, 1, [&](auto, auto) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 4u);
}

TEST_F(ThreadPool, HandsTheExceptionOver) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside{0};
    try {
      parallel_for(64, 1, [&](std::int64_t begin, std::int64_t) {
        ++inside;
        bool bad = begin >= 32;
        --inside;
        if (bad) throw std::runtime_error("piece " + std::to_string(begin));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 6), "piece ");
      EXPECT_EQ(inside, 0);
    }
  }
  EXPECT_TRUE(covers_once(1000, 1));
}

TEST_F(ThreadPool, RunsNestedCallsInline) {
  std::atomic<int> items{0};
  parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) {
    auto self = std::this_thread::get_id();
    for (std::int64_t i = begin; i < end; ++i) {
      parallel_for(100, 1, [&](std::int64_t from, std::int64_t to) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        items += static_cast<int>(to - from);
      });
    }
  });
  EXPECT_EQ(items, 800);
}

TEST_F(ThreadPool, ServesManyCallersAtATime) {
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int i = 0; i < 20; ++i) {
    callers.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) good += covers_once(200 + i, 1 + round % 5);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(good, 20 * 50);
}

TEST_F(ThreadPool, ChangesItsSize) {
  for (int count : {1, 2, 8, 70, 3}) {
    set_num_threads(count);
    EXPECT_EQ(num_threads(), count);
    EXPECT_TRUE(covers_once(5000, 1));
  }
  for (int bad : {0, -1, 1025}) EXPECT_THROW(set_num_threads(bad), ValueError);
}

TEST_F(ThreadPool, WorksAfterItsWorkersWentToSleep) {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(covers_once(64, 1));
  }
}

TEST_F(ThreadPool, WorksInAForkedChild) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  EXPECT_TRUE(covers_once(1000, 1));
  EXPECT_TRUE(test::in_child([] { return covers_once(1000, 1); }));
  EXPECT_TRUE(covers_once(1000, 1));
}

TEST_F(ThreadPool, WorksInAChildForkedWhileOthersCall) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) covers_once(500, 1);
    });
  }
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(test::in_child([] { return covers_once(1000, 1); }));
  stop = true;
  for (auto& caller : callers) caller.join();
}

}  // namespace
}  // namespace crossdock
