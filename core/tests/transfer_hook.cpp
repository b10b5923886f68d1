#include "crossdock/runtime/transfer_hook.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace crossdock {
namespace {

class TransferHooked : public testing::Test {
 protected:
  void TearDown() override { set_transfer_hook({}); }
};

Transfer some() { return {"copy", 12, "native:0", "sim:0", false, false}; }

TEST_F(TransferHooked, MakesNoFactsWhenNobodyListens) {
  TransferReport{[]() -> Transfer { throw std::logic_error("made"); }};
}

TEST_F(TransferHooked, SeesTheFactsUntilItIsTakenOff) {
  std::vector<std::string> seen;
  set_transfer_hook([&](const Transfer& t) { seen.push_back(std::string(t.op) + " " + t.source + " " + t.target); });
  TransferReport{some};
  set_transfer_hook({});
  TransferReport{some};
  EXPECT_EQ(seen, std::vector<std::string>{"copy native:0 sim:0"});
}

TEST_F(TransferHooked, MayRefuse) {
  set_transfer_hook([](const Transfer&) { throw std::runtime_error("no"); });
  EXPECT_THROW(TransferReport{some}, std::runtime_error);
}

TEST_F(TransferHooked, IsToldOfTheEnd) {
  std::vector<std::string> seen;
  set_transfer_hook([&](Transfer& t) {
    seen.emplace_back("begins");
    t.end = [&](bool failed) { seen.emplace_back(failed ? "failed" : "ends"); };
  });
  using Said = std::vector<std::string>;
  {
    const TransferReport report(some);
    EXPECT_EQ(seen, Said{"begins"});
    set_transfer_hook({});  // whoever heard of the beginning hears of the end
  }
  EXPECT_EQ(seen, (Said{"begins", "ends"}));
}

TEST_F(TransferHooked, IsToldOfAFailure) {
  std::vector<bool> failures;
  set_transfer_hook([&](Transfer& t) { t.end = [&](bool failed) { failures.push_back(failed); }; });
  EXPECT_THROW(
      {
        const TransferReport report(some);
        throw std::runtime_error("no");
      },
      std::runtime_error);
  struct WhileUnwinding {
    ~WhileUnwinding() { TransferReport{some}; }  // itself well
  };
  EXPECT_THROW(
      {
        const WhileUnwinding later;
        throw std::runtime_error("no");
      },
      std::runtime_error);
  EXPECT_EQ(failures, (std::vector<bool>{true, false}));
}

TEST_F(TransferHooked, MayReplaceItself) {
  int second = 0;
  set_transfer_hook([&](const Transfer&) { set_transfer_hook([&](const Transfer&) { ++second; }); });
  TransferReport{some};
  TransferReport{some};
  EXPECT_EQ(second, 1);
}

TEST_F(TransferHooked, MayChangeWhileOthersReport) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) TransferReport{some};
    });
  }
  for (int i = 0; i < 300; ++i)
    set_transfer_hook(i % 3 ? TransferHook([&](const Transfer&) { ++calls; }) : TransferHook());
  stop = true;
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace crossdock
