#include "crossdock/runtime/at_fork.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"
#include "in_child.h"

namespace crossdock {
namespace {

// A pattern through the device and back.
bool device_works(Device& device) {
  std::string sent(3000, 'x'), back(3000, '?');
  test::Held block(device, sent.size());
  device.upload(block.data(), reinterpret_cast<std::byte*>(sent.data()), sent.size(), device.default_stream(), nullptr,
                false);
  auto value = std::make_shared<std::atomic<int>>(0);  // a child has no stack for what another thread has queued
  device.default_stream().enqueue("set", [value] { *value = 1; });
  device.download(reinterpret_cast<std::byte*>(back.data()), block.data(), back.size(), device.default_stream(),
                  nullptr, true);
  device.synchronize();
  return sent == back && *value == 1;
}

TEST(AtFork, LocksAreFreeInTheChild) {
  ForkMutex mutex;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      std::lock_guard lock(mutex);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(test::in_child([&] {
      std::lock_guard lock(mutex);
      return true;
    }));
  }
  stop = true;
  busy.join();
  std::lock_guard lock(mutex);
}

TEST(AtFork, MemoryAndDevicesWorkInTheChild) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  Device &sim = test::device("sim:0"), &native = test::device("native:0");
  EXPECT_TRUE(device_works(sim));
  EXPECT_TRUE(test::in_child([&] { return device_works(sim) && device_works(native); }));
  EXPECT_TRUE(device_works(sim));
}

TEST(AtFork, TheChildHasACopyOfDeviceMemory) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  Device& sim = test::device("sim:0");
  Stream& stream = sim.default_stream();
  test::Held block(sim, 1);
  std::byte value{1};
  sim.upload(block.data(), &value, 1, stream, nullptr, true);
  EXPECT_TRUE(test::in_child([&] {
    std::byte got{}, other{2};
    sim.download(&got, block.data(), 1, stream, nullptr, true);
    sim.upload(block.data(), &other, 1, stream, nullptr, true);
    return got == value;
  }));
  std::byte got{};
  sim.download(&got, block.data(), 1, stream, nullptr, true);
  EXPECT_EQ(got, value);
}

TEST(AtFork, WorkThatWaitsInTheQueueIsDoneInBoth) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  Device& sim = test::device("sim:0");
  Stream& stream = sim.default_stream();
  for (int round = 0; round < 10; ++round) {
    volatile int count = 0;
    for (int i = 0; i < 200; ++i) {
      stream.enqueue("count", [&] {
        for (int j = 0; j < 1000; ++j) count = count + 1;
      });
    }
    EXPECT_TRUE(test::in_child([&] {
      stream.synchronize();
      return count == 200'000;
    }));
    stream.synchronize();
    EXPECT_EQ(count, 200'000);
  }
}

TEST(AtFork, EventsAreReachedInTheChildWithoutAWait) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  Device& sim = test::device("sim:0");
  sim.default_stream().enqueue("nap", [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  for (int i = 0; i < 50; ++i)
    sim.default_stream().enqueue("nap", [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
  Event event = sim.default_stream().record();
  EXPECT_TRUE(test::in_child([&] {
    while (!event.done()) std::this_thread::yield();
    return true;
  }));
  event.synchronize();
}

TEST(AtFork, AnOperationThatCannotBeWaitedForIsReportedInTheChild) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  Device& sim = test::device("sim:0");
  std::atomic<bool> forked{false}, begun{false};
  sim.default_stream().enqueue("stuck", [&] {
    begun = true;
    while (!forked) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(test::in_child([&] {
    try {
      sim.default_stream().synchronize();
      return false;
    } catch (const AsyncDeviceError& error) {
      return error.op == "fork" && device_works(sim);
    }
  }));
  forked = true;
  sim.default_stream().synchronize();
}

TEST(AtFork, ForksWhileOthersUseDevices) {
  CROSSDOCK_SKIP_FORK_UNDER_TSAN();
  CROSSDOCK_SKIP_FORK_BESIDE_THREADS_UNDER_ASAN();
  Device &sim = test::device("sim:0"), &other = test::device("sim:1"), &native = test::device("native:0");
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (Device* device : {&sim, &other, &native, &sim}) {
    threads.emplace_back([&stop, device] {
      while (!stop) device_works(*device);
    });
  }
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(test::in_child([&] { return device_works(sim) && device_works(other) && device_works(native); })) << i;
  stop = true;
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace crossdock
