#include <array>
#include <string>
#include <thread>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

class SimFaults : public testing::Test {
 protected:
  void up(Device& device, const test::Held& block, bool blocking) {
    device.upload(block.data(), host.data(), block.block().requested, device.default_stream(), nullptr, blocking);
  }
  void down(Device& device, const test::Held& block) {
    device.download(host.data(), block.data(), block.block().requested, device.default_stream(), nullptr, true);
  }

  Device& sim = test::device("sim:0");
  Device& other = test::device("sim:1");
  test::Faults faults;
  std::array<std::byte, 64> host{};
};

TEST_F(SimFaults, CountersAreExact) {
  test::Held here(sim, 40), there(other, 40);
  sim::Counters before = sim::counters(0), before_other = sim::counters(1);
  up(sim, here, true);
  up(sim, here, false);
  down(sim, here);
  other.copy_from(there.data(), sim, here.data(), 40, other.default_stream());
  sim.copy_from(here.data(), sim, here.data() + 8, 8, sim.default_stream());  // stays on the device
  sim.upload(here.data(), host.data(), 0, sim.default_stream(), nullptr, true);
  sim.synchronize();
  sim::Counters after = sim::counters(0), after_other = sim::counters(1);
  EXPECT_EQ(after.host_to_device_nbytes - before.host_to_device_nbytes, 80);
  EXPECT_EQ(after.device_to_host_nbytes - before.device_to_host_nbytes, 40);
  EXPECT_EQ(after.device_to_device_nbytes - before.device_to_device_nbytes, 0);
  EXPECT_EQ(after.copies - before.copies, 3);
  EXPECT_EQ(after.syncs - before.syncs, 3);
  EXPECT_EQ(after_other.device_to_device_nbytes - before_other.device_to_device_nbytes, 40);
  EXPECT_EQ(after_other.copies - before_other.copies, 1);
  EXPECT_EQ(after_other.syncs - before_other.syncs, 0);
  EXPECT_THROW(sim::counters(-1), DeviceUnavailableError);
  EXPECT_THROW(sim::counters(64), DeviceUnavailableError);
}

TEST_F(SimFaults, OutOfMemoryCountsRequestsCachedBlocksIncluded) {
  {
    test::Held cached(sim, 1000);
  }
  sim::inject("oom", 0, 2);
  {
    test::Held first(sim, 1000);
  }
  {
    test::Held second(sim, 1000);
  }
  for (int i = 0; i < 3; ++i) {
    try {
      test::Held third(sim, 8'000'000);
      FAIL();
    } catch (const OutOfMemoryError& error) {
      EXPECT_EQ(error.requested, 8'000'000);
      EXPECT_GT(error.pooled, 0);
      EXPECT_NE(std::string(error.what()).find("8000000"), std::string::npos);
    }
  }
  test::Held elsewhere(other, 1000);
  sim::clear_faults();
  test::Held again(sim, 1000);
}

TEST_F(SimFaults, CopyErrorsAreToldAtTheNextWait) {
  test::Held block(sim, 40);
  sim::inject("copy_error", 0, 1);
  sim::Counters before = sim::counters(0);
  up(sim, block, true);
  up(sim, block, false);
  EXPECT_THROW(sim.default_stream().synchronize(), AsyncDeviceError);
  try {
    down(sim, block);
    FAIL();
  } catch (const AsyncDeviceError& error) {
    EXPECT_EQ(error.op, "download");
  }
  EXPECT_EQ(sim::counters(0).copies - before.copies, 1) << "a copy that failed has moved nothing";
  sim::clear_faults();
  down(sim, block);
}

TEST_F(SimFaults, ALostDeviceFailsAtEverythingUntilCleared) {
  test::Held block(sim, 40);
  sim::inject("device_lost", 0, 0);
  EXPECT_THROW(test::Held(sim, 10), DeviceError);
  EXPECT_THROW(up(sim, block, true), AsyncDeviceError);
  sim.default_stream().enqueue("work", [] { FAIL(); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(sim.default_stream().synchronize(), AsyncDeviceError);
    EXPECT_THROW(sim.synchronize(), AsyncDeviceError);
    EXPECT_THROW(down(sim, block), AsyncDeviceError);
  }
  test::Held elsewhere(other, 10);
  up(other, elsewhere, true);
  sim::clear_faults();
  up(sim, block, true);
  down(sim, block);
  sim.synchronize();
}

TEST_F(SimFaults, ADeviceIsLostAfterSoManyOperations) {
  test::Held block(sim, 40);
  sim::inject("device_lost", std::nullopt, 2);
  up(sim, block, true);
  down(sim, block);
  sim.synchronize();
  EXPECT_THROW(down(sim, block), AsyncDeviceError);
  EXPECT_THROW(sim.synchronize(), AsyncDeviceError);
}

TEST_F(SimFaults, WorkQueuedBeforeAFaultGoesWell) {
  test::Held block(sim, 40);
  for (int i = 0; i < 20; ++i) up(sim, block, false);
  sim::inject("copy_error", 0, 0);
  sim.synchronize();
}

TEST_F(SimFaults, RefusesOtherKinds) {
  EXPECT_THROW(sim::inject("fire", 0, 0), ValueError);
  EXPECT_THROW(sim::inject("oom", 0, -1), ValueError);
  EXPECT_THROW(sim::inject("oom", 64, 0), DeviceUnavailableError);
  EXPECT_THROW(sim::inject("oom", -1, 0), DeviceUnavailableError);
  test::Held works(sim, 10);
}

TEST_F(SimFaults, DoNotLeakMemoryStatistics) {
  std::int64_t before = sim.memory_info().used;
  sim::inject("oom", std::nullopt, 1);
  std::thread([&] {
    for (int i = 0; i < 5; ++i) {
      try {
        test::Held block(sim, 100);
      } catch (const OutOfMemoryError&) {
      }
    }
  }).join();
  EXPECT_EQ(sim.memory_info().used, before);
}

}  // namespace
}  // namespace crossdock
