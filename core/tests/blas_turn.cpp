#include "../backends/native/kernels/blas_turn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace crossdock::testing {
namespace {

TEST(BlasTurn, NoMoreThreadsThanTheLibraryHasRoomForAndNoneWaitsForever) {
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 150; ++i) {
    threads.emplace_back([&] {
      for (int turns = 0; turns < 20; ++turns) {
        const native::BlasTurn turn;
        const int now = inside.fetch_add(1) + 1;
        for (int seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        inside.fetch_sub(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GE(most.load(), 1);
  EXPECT_LE(most.load(), 64);
}

}  // namespace
}  // namespace crossdock::testing
