#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "crossdock/runtime/interrupt.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using std::chrono::milliseconds;

struct Interrupt : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::atomic<int> asked{0};

class SimInterrupt : public testing::Test {
 protected:
  void SetUp() override {
    asked = 0;
    set_interrupt_check([] {
      if (++asked == 2) throw Interrupt("enough");
    });
    stream.enqueue("hold", [this] {
      while (!go) std::this_thread::sleep_for(milliseconds(1));
    });
  }
  void TearDown() override {
    go = true;
    set_interrupt_check(nullptr);
    stream.synchronize();
  }

  Device& sim = test::device("sim:0");
  Stream& stream = sim.default_stream();
  std::atomic<bool> go{false};
};

TEST_F(SimInterrupt, EndsAWaitAndNotTheWork) {
  std::atomic<bool> done{false};
  stream.enqueue("note", [&] { done = true; });
  EXPECT_THROW(stream.synchronize(), Interrupt);
  EXPECT_THROW(
      {
        asked = 0;
        stream.record().synchronize();
      },
      Interrupt);
  EXPECT_FALSE(done);
  go = true;
  stream.synchronize();
  EXPECT_TRUE(done);
}

TEST_F(SimInterrupt, DropsACopyWhoseWaiterHasLeft) {
  const test::Held block(sim, 4);
  char text[5] = "????";
  EXPECT_THROW(sim.download(reinterpret_cast<std::byte*>(text), block.data(), 4, stream, nullptr, true), Interrupt);
  go = true;
  stream.synchronize();
  EXPECT_STREQ(text, "????");
}

TEST_F(SimInterrupt, EndsAWaitForAnotherQueue) {
  Stream& other = test::device("sim:1").default_stream();
  std::atomic<bool> done{false};
  other.wait(stream.record());
  other.enqueue("note", [&] { done = true; });
  EXPECT_THROW(other.synchronize(), Interrupt);
  EXPECT_FALSE(done);
  go = true;
  other.synchronize();
  EXPECT_TRUE(done);
}

TEST_F(SimInterrupt, DrainDropsWhatHasNotBegun) {
  std::atomic<bool> done{false};
  stream.enqueue("note", [&] { done = true; });
  std::thread later([this] {
    std::this_thread::sleep_for(milliseconds(300));
    go = true;
  });
  EXPECT_THROW(sim.backend().drain(), Interrupt);
  EXPECT_TRUE(go);
  EXPECT_FALSE(done);
  later.join();
}

}  // namespace
}  // namespace crossdock
