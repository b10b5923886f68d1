#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

using std::chrono::milliseconds;

// Slots of the kernel table that no operation uses.
constexpr Op kOp = Op::nextafter;
constexpr Dtype kFails = Dtype::int4, kIncrements = Dtype::uint4;

class SimStream : public testing::Test {
 protected:
  void SetUp() override {
    auto& kernels = sim.backend().kernels();
    kernels.set(kOp, kFails, [](const Launch&) { throw std::runtime_error("not today"); });
    kernels.set(kOp, kIncrements, [](const Launch& launch) {
      for (std::int64_t i = 0; i < launch.shape[0]; ++i) {
        auto& byte = launch.output().data[i];
        byte = static_cast<std::byte>(static_cast<int>(byte) + 1);
      }
    });
  }

  Launch launch(Dtype dtype, const test::Held& block) {
    Launch launch;
    launch.op = kOp;
    launch.dtype = dtype;
    launch.shape = {static_cast<std::int64_t>(block.block().requested)};
    launch.noperands = 1;
    launch.operands[0].data = block.data();
    launch.operands[0].strides = {1};
    return launch;
  }
  std::string read(const test::Held& block) {
    std::string text(block.block().requested, '?');
    sim.download(reinterpret_cast<std::byte*>(text.data()), block.data(), text.size(), stream, nullptr, true);
    return text;
  }
  void write(const test::Held& block, const std::string& text) {
    sim.upload(block.data(), reinterpret_cast<const std::byte*>(text.data()), text.size(), stream, nullptr, true);
  }

  Device& sim = test::device("sim:0");
  Stream& stream = sim.default_stream();
  test::Faults faults;
};

TEST_F(SimStream, WorksInOrderBehindTheHostsBack) {
  std::vector<int> seen;
  std::atomic<bool> go{false};
  stream.enqueue("hold", [&] {
    while (!go) std::this_thread::yield();
  });
  for (int i = 0; i < 100; ++i) stream.enqueue("note", [&seen, i] { seen.push_back(i); });
  EXPECT_FALSE(stream.record().done());
  go = true;
  stream.synchronize();
  ASSERT_EQ(seen.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(stream.record().done());
}

TEST_F(SimStream, WorksWithoutBeingWaitedFor) {
  std::atomic<bool> done{false};
  stream.enqueue("note", [&] { done = true; });
  for (int i = 0; i < 2000 && !done; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(done);
}

TEST_F(SimStream, RunsKernelsOverItsMemory) {
  test::Held block(sim, 5);
  write(block, "HAL 1");
  sim.launch(launch(kIncrements, block));
  sim.launch(launch(kIncrements, block));
  EXPECT_EQ(read(block), "JCN\"3");
}

TEST_F(SimStream, RefusesAtOnceWhatNoKernelServes) {
  test::Held block(sim, 5);
  EXPECT_THROW(sim.launch(launch(Dtype::float8_e5m2, block)), NotImplementedError);
  Launch foreign = launch(kIncrements, block);
  std::byte host{};
  foreign.operands[0].data = &host;
  EXPECT_THROW(sim.launch(foreign), DeviceError);
}

TEST_F(SimStream, TellsAFailureOnceAtTheNextWait) {
  test::Held block(sim, 3);
  write(block, "abc");
  sim.launch(launch(kFails, block));
  sim.launch(launch(kIncrements, block));  // dropped: it is behind the failure
  try {
    stream.synchronize();
    FAIL();
  } catch (const AsyncDeviceError& error) {
    EXPECT_EQ(error.op, "nextafter");
    EXPECT_EQ(error.device, "sim:0");
    EXPECT_EQ(std::string(error.what()).find("an earlier operation failed on sim:0: nextafter: not today ("), 0u);
  }
  stream.synchronize();
  EXPECT_EQ(read(block), "abc");
}

TEST_F(SimStream, TellsAFailureWhenTheDeviceIsWaitedFor) {
  auto second = sim.make_stream();
  second->enqueue("break", [] { throw 5; });
  EXPECT_THROW(sim.synchronize(), AsyncDeviceError);
  sim.synchronize();
}

TEST_F(SimStream, NeverHandsOutBytesBehindAFailure) {
  test::Held block(sim, 3);
  write(block, "abc");
  sim.launch(launch(kFails, block));
  char back[4] = "???";
  EXPECT_THROW(sim.download(reinterpret_cast<std::byte*>(back), block.data(), 3, stream, nullptr, true),
               AsyncDeviceError);
  EXPECT_STREQ(back, "???");
  EXPECT_EQ(read(block), "abc");
}

TEST_F(SimStream, KeepsTheHostSideAliveUntilTheCopyIsOver) {
  test::Held block(sim, 3);
  auto host = std::make_shared<std::string>("xyz");
  std::weak_ptr<std::string> watch = host;
  std::atomic<bool> go{false};
  stream.enqueue("hold", [&] {
    while (!go) std::this_thread::yield();
  });
  auto* data = reinterpret_cast<const std::byte*>(host->data());
  sim.upload(block.data(), data, 3, stream, std::move(host), false);
  EXPECT_FALSE(watch.expired());
  go = true;
  stream.synchronize();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(read(block), "xyz");
}

TEST_F(SimStream, ReportsAHostBufferChangedTooEarly) {
  test::Held block(sim, 3);
  std::string host = "xyz";
  std::atomic<bool> go{false};
  stream.enqueue("hold", [&] {
    while (!go) std::this_thread::yield();
  });
  sim.upload(block.data(), reinterpret_cast<const std::byte*>(host.data()), 3, stream, nullptr, false);
  host[1] = '!';
  go = true;
  try {
    stream.synchronize();
    FAIL();
  } catch (const AsyncDeviceError& error) {
    EXPECT_EQ(error.op, "upload");
    EXPECT_NE(std::string(error.what()).find("changed"), std::string::npos);
  }
}

TEST_F(SimStream, EventsOrderStreams) {
  auto second = sim.make_stream();
  for (int round = 0; round < 50; ++round) {
    int value = 0;
    std::atomic<bool> go{false};
    stream.enqueue("set", [&] {
      while (!go) std::this_thread::yield();
      value = 1;
    });
    second->wait(stream.record());
    second->enqueue("add", [&] { value += 10; });
    stream.wait(second->record());
    stream.enqueue("add", [&] { value *= 2; });
    Event end = stream.record();
    EXPECT_FALSE(end.done());
    go = true;
    end.synchronize();
    EXPECT_TRUE(end.done());
    EXPECT_EQ(value, 22);
  }
}

TEST_F(SimStream, EventsCarryFailures) {
  stream.enqueue("break", [] { throw std::runtime_error("oh"); });
  Event event = stream.record();
  EXPECT_THROW(event.synchronize(), AsyncDeviceError);
  stream.synchronize();  // told already
  auto second = sim.make_stream();
  stream.enqueue("break", [] { throw std::runtime_error("oh"); });
  second->wait(stream.record());
  bool ran = false;
  second->enqueue("after", [&] { ran = true; });
  try {
    second->synchronize();
    FAIL();
  } catch (const AsyncDeviceError& error) {
    EXPECT_EQ(error.op, "break");
  }
  EXPECT_FALSE(ran);
  EXPECT_THROW(stream.synchronize(), AsyncDeviceError);
}

TEST_F(SimStream, EventsOutliveTheirStream) {
  auto second = sim.make_stream();
  second->enqueue("nap", [] { std::this_thread::sleep_for(milliseconds(5)); });
  Event event = second->record();
  second.reset();
  EXPECT_TRUE(event.done());
  event.synchronize();
}

TEST_F(SimStream, CannotWaitForItself) {
  stream.enqueue("loop", [&] { stream.synchronize(); });
  EXPECT_THROW(stream.synchronize(), AsyncDeviceError);
  stream.enqueue("loop", [&] { sim.synchronize(); });
  EXPECT_THROW(stream.synchronize(), AsyncDeviceError);
}

TEST_F(SimStream, CopiesBetweenDevicesInOrder) {
  Device& other = test::device("sim:1");
  test::Held here(sim, 3), there(other, 3);
  write(here, "abc");
  for (int i = 0; i < 10; ++i) {
    sim.launch(launch(kIncrements, here));
    other.copy_from(there.data(), sim, here.data(), 3, other.default_stream());
    sim.launch(launch(kIncrements, here));  // must not be seen by the copy
  }
  char back[4] = {};
  other.download(reinterpret_cast<std::byte*>(back), there.data(), 3, other.default_stream(), nullptr, true);
  EXPECT_STREQ(back, "tuv");
  EXPECT_EQ(read(here), "uvw");
}

TEST_F(SimStream, ServesManyHostThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        test::Held block(sim, 8);
        std::string text(8, static_cast<char>('a' + t));
        write(block, text);
        sim.launch(launch(kIncrements, block));
        for (char& c : text) ++c;
        wrong += read(block) != text;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SimStream, StreamsComeAndGo) {
  for (int i = 0; i < 50; ++i) {
    auto second = sim.make_stream();
    test::Held block(sim, 100, *second);
    int value = 0;
    second->enqueue("set", [&] { value = 1; });
    second->synchronize();
    EXPECT_EQ(value, 1);
  }
}

}  // namespace
}  // namespace crossdock
