#include <string>

#include "crossdock/runtime/device.h"
#include "crossdock/runtime/error.h"
#include "devices.h"
#include "gtest/gtest.h"

namespace crossdock {
namespace {

TEST(DeviceSpec, FindsTheSameDeviceEachTime) {
  Device& sim = test::device("sim:1");
  EXPECT_EQ(sim.spec(), "sim:1");
  EXPECT_EQ(sim.index(), 1);
  EXPECT_EQ(sim.backend().name(), "sim");
  EXPECT_EQ(&find_device("sim:1"), &sim);
  EXPECT_EQ(&find_device("native"), &find_device("native:0"));
  EXPECT_NE(&find_device("native:1"), &find_device("native:0"));
}

TEST(DeviceSpec, KnowsWhereMemoryIs) {
  EXPECT_EQ(test::device("native:1").physical(), "host");
  EXPECT_EQ(test::device("sim:1").physical(), "sim:1");
  EXPECT_TRUE(find_device("native").is_host());
  EXPECT_FALSE(find_device("sim").is_host());
  EXPECT_EQ(find_device("native:1").dlpack_type(), 1);
  EXPECT_EQ(find_device("native:1").dlpack_id(), 0);
  EXPECT_EQ(find_device("sim:1").dlpack_type(), 12);
  EXPECT_EQ(find_device("sim:1").dlpack_id(), 1);
}

SpecError refusal(const std::string& spec) {
  test::device("native:0");
  try {
    find_device(spec);
  } catch (const SpecError& error) {
    EXPECT_EQ(error.spec, spec);
    EXPECT_EQ(error.known, (std::vector<std::string>{"native", "sim"}));
    return error;
  }
  ADD_FAILURE() << "taken: " << spec;
  return SpecError("", "");
}

TEST(DeviceSpec, SaysWhatWasProbablyMeant) {
  EXPECT_STREQ(refusal("cud:0").what(), "no device kind 'cud' in 'cud:0'; known kinds: native, sim.");
  EXPECT_EQ(refusal("navite:1").nearest, "native:1");
  EXPECT_EQ(refusal("SIM").nearest, "sim:0");
  EXPECT_EQ(refusal("sim:01").nearest, "sim:1");
  EXPECT_STREQ(
      refusal("sim:x").what(),
      "no device index 'x' in 'sim:x'; an index is a decimal number of up to five digits without leading zeros. "
      "Did you mean 'sim:0'?");
}

TEST(DeviceSpec, IsStrict) {
  for (const char* bad :
       {"",         ":",       ":0",     "sim:",       "sim:-1",  "sim:+1",  "sim: 1",  "sim:1 ",
        " sim",     "sim:00",  "sim:01", "sim:100000", "sim:1_0", "sim:0x1", "sim:0:0", "sim:\xd9\xa1",
        "Native:0", "native0", "@numpy", "sim\n"})
    refusal(bad);
  std::string with_null("sim\0:0", 6);
  EXPECT_NE(std::string(refusal(with_null).what()).find("sim\\x00"), std::string::npos);
  EXPECT_LT(std::string(refusal(std::string(100'000, 'x')).what()).size(), 300u);
  EXPECT_LT(std::string(refusal("sim:" + std::string(100'000, '1')).what()).size(), 400u);
}

TEST(DeviceSpec, SaysHowManyThereAre) {
  test::device("native:0");
  try {
    find_device("native:99");
    FAIL();
  } catch (const DeviceUnavailableError& error) {
    EXPECT_EQ(error.device, "native:99");
    EXPECT_EQ(error.count, find_backend("native")->device_count());
    EXPECT_NE(std::string(error.what()).find("'native:0' to 'native:1'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(find_device("sim:99999"), DeviceUnavailableError);
}

TEST(Backend, NamesTheKernelThatIsMissing) {
  Device& sim = test::device("sim:0");
  try {
    sim.backend().kernel(Op::hypot, Dtype::uint4, sim);
    FAIL();
  } catch (const NotImplementedError& error) {
    EXPECT_STREQ(error.what(), "hypot: no kernel for dtype uint4 on device sim:0");
  }
}

TEST(Backend, IsRegisteredOnce) {
  test::device("native:0");
  register_native();
  register_sim();
  ASSERT_GE(backends().size(), 2u);
  EXPECT_EQ(backends()[0]->name(), "native");
  EXPECT_EQ(backends()[1]->name(), "sim");
  EXPECT_EQ(find_backend("nativ"), nullptr);
}

}  // namespace
}  // namespace crossdock
