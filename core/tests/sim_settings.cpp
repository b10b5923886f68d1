#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

// Settings are read once, so each check has a process of its own.
class SimSettings : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {
    for (const char* name : kNames) ::unsetenv(name);
  }
  static constexpr const char* kNames[] = {"CROSSDOCK_SIM_DEVICES",    "CROSSDOCK_SIM_MEMORY",
                                           "CROSSDOCK_SIM_LATENCY_US", "CROSSDOCK_SIM_H2D_GBPS",
                                           "CROSSDOCK_SIM_D2H_GBPS",   "CROSSDOCK_NATIVE_DEVICES"};
};

// Leaves the process with 0 when all devices are as expected and work.
[[noreturn]] void check_devices(int count, std::int64_t memory) {
  Device& sim = test::device("sim:0");
  test::Held block(sim, 100);
  std::byte host[100] = {};
  sim.upload(block.data(), host, 100, sim.default_stream(), nullptr, true);
  bool good = sim.backend().device_count() == count && find_backend("native")->device_count() == count &&
              sim.memory_info().total == memory;
  std::_Exit(good ? 0 : 1);
}

constexpr std::int64_t kDefaultMemory = std::int64_t{8} << 30;

TEST_F(SimSettings, ThatMakeNoSenseAreIgnored) {
  for (const char* bad : {"", "junk", "-1", "0", "1e400", "99999999999999999999999"}) {
    for (const char* name : kNames) ::setenv(name, bad, 1);
    EXPECT_EXIT(check_devices(2, kDefaultMemory), testing::ExitedWithCode(0), "") << bad;
  }
}

TEST_F(SimSettings, CountDevicesUpTo64) {
  for (const char* name : {"CROSSDOCK_SIM_DEVICES", "CROSSDOCK_NATIVE_DEVICES"}) ::setenv(name, "1000", 1);
  EXPECT_EXIT(check_devices(64, kDefaultMemory), testing::ExitedWithCode(0), "");
  for (const char* name : {"CROSSDOCK_SIM_DEVICES", "CROSSDOCK_NATIVE_DEVICES"}) ::setenv(name, "3", 1);
  ::setenv("CROSSDOCK_SIM_MEMORY", "1000000", 1);
  EXPECT_EXIT(check_devices(3, 1'000'000), testing::ExitedWithCode(0), "");
}

[[noreturn]] void fill_memory() {
  Device& sim = test::device("sim:0");
  bool good = false;
  {
    test::Held all(sim, 1'000'000);
    try {
      test::Held more(sim, 1);
    } catch (const OutOfMemoryError& error) {
      good = error.requested == 1 && error.free == 0;
    }
  }
  test::Held again(sim, 900'000);
  std::_Exit(good ? 0 : 1);
}

TEST_F(SimSettings, LimitMemory) {
  ::setenv("CROSSDOCK_SIM_MEMORY", "1000000", 1);
  EXPECT_EXIT(fill_memory(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void check_speed() {
  using Clock = std::chrono::steady_clock;
  Device& sim = test::device("sim:0");
  std::vector<std::byte> host(1'000'000);
  test::Held block(sim, host.size());
  auto start = Clock::now();
  sim.upload(block.data(), host.data(), host.size(), sim.default_stream(), nullptr, false);
  auto queued = Clock::now();
  sim.synchronize();
  auto done = Clock::now();
  // 1 MB at 0.01 GB/s takes 100 ms, and the host need not wait for it.
  bool good = done - start >= std::chrono::milliseconds(100) && queued - start < std::chrono::milliseconds(90);
  start = Clock::now();
  sim.download(host.data(), block.data(), 8, sim.default_stream(), nullptr, true);
  good = good && Clock::now() - start >= std::chrono::milliseconds(2);
  std::_Exit(good ? 0 : 1);
}

TEST_F(SimSettings, ModelSpeed) {
  ::setenv("CROSSDOCK_SIM_H2D_GBPS", "0.01", 1);
  ::setenv("CROSSDOCK_SIM_LATENCY_US", "2000", 1);
  EXPECT_EXIT(check_speed(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace crossdock
