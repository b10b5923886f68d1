#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "../backends/cuda/compile_request.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

const KernelName kFill{"fill.cuh", "fill<std::uint32_t>"};

Nvrtc compiler(std::vector<int> architectures = {75, 80, 90}) {
  Nvrtc made{};
  made.path = "libnvrtc.so.12";
  made.major = 12;
  made.identity = "12.0/1";
  made.architectures = std::move(architectures);
  return made;
}

bool has(const CompileRequest& request, const std::string& option) {
  return std::ranges::find(request.options, option) != request.options.end();
}

TEST(Architecture, IsReadAndWritten) {
  for (const char* name : {"sm_75", "sm_90", "sm_90a", "sm_100", "sm_121"})
    EXPECT_EQ(Architecture::parse(name).name(), name);
  EXPECT_EQ(Architecture::parse("sm_100").number, 100);
  EXPECT_TRUE(Architecture::parse("sm_90a").specific);
  for (const char* bad : {"", "sm_", "sm_a", "90", "sm_9", "sm_090", "sm_90b", "sm_90aa", "sm_99999", "sm_+9",
                          "compute_90", "sm_90 ", "SM_90"})
    EXPECT_THROW(Architecture::parse(bad), ValueError) << bad;
}

TEST(CompileRequest, AsksForCodeOfTheArchitecture) {
  const auto request = request_of(compiler(), kFill, {90, false});
  EXPECT_TRUE(has(request, "--gpu-architecture=sm_90"));
  EXPECT_FALSE(request.ptx);
  EXPECT_EQ(request.expression, "crossdock::cuda::fill<std::uint32_t>");
  EXPECT_TRUE(has(request_of(compiler(), kFill, {90, true}), "--gpu-architecture=sm_90a"));
}

TEST(CompileRequest, LaterArchitecturesGetTheNewestThatIsKnown) {
  const auto request = request_of(compiler(), kFill, {103, false});
  EXPECT_TRUE(has(request, "--gpu-architecture=compute_90"));
  EXPECT_TRUE(request.ptx);
  EXPECT_TRUE(has(request_of(compiler(), kFill, {89, false}), "--gpu-architecture=compute_80"));
}

TEST(CompileRequest, OlderArchitecturesAreRefused) {
  try {
    request_of(compiler(), kFill, {70, false});
    FAIL();
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    for (const char* part : {"NVRTC 12.0", "sm_70", "sm_75", "sm_90", "older"})
      EXPECT_NE(text.find(part), text.npos) << text;
  }
  EXPECT_THROW(request_of(compiler(), kFill, {100, true}), DeviceError);  // sm_100a cannot be had from PTX
  EXPECT_THROW(request_of(compiler(), {"none.cuh", "none<int>"}, {90, false}), DeviceError);
}

TEST(CompileRequest, ProductsAreNotFused) {
  EXPECT_TRUE(has(request_of(compiler(), kFill, {90, false}), "--fmad=false"));
}

TEST(CompileRequest, NvrtcKeepsNothingWhereItCould) {
  auto nvrtc = compiler();
  for (const auto& [major, minor, can] : {std::tuple(12, 8, false), std::tuple(12, 9, true), std::tuple(13, 0, true)}) {
    nvrtc.major = major;
    nvrtc.minor = minor;
    EXPECT_EQ(has(request_of(nvrtc, kFill, {90, false}), "--no-cache"), can) << major << '.' << minor;
  }
}

TEST(CompileRequest, KeysTellEverythingApart) {
  auto later = compiler();
  later.identity = "12.0/2";
  const auto request = request_of(compiler(), kFill, {90, false});
  auto other_option = request, other_text = request, fewer_headers = request;
  other_option.options.back() = "--fmad=true";
  other_text.text += ' ';
  fewer_headers.headers.pop_back();
  Source changed = *request.headers[0];
  changed.sha256 = "another";
  auto changed_header = request;
  changed_header.headers[0] = &changed;
  const std::set<std::string> keys = {
      key_of(compiler(), request),
      key_of(later, request),
      key_of(compiler(), request_of(compiler(), {"fill.cuh", "fill<std::uint8_t>"}, {90, false})),
      key_of(compiler(), request_of(compiler(), kFill, {80, false})),
      key_of(compiler(), request_of(compiler(), kFill, {90, true})),
      key_of(compiler(), other_option),
      key_of(compiler(), other_text),
      key_of(compiler(), fewer_headers),
      key_of(compiler(), changed_header),
  };
  EXPECT_EQ(keys.size(), 9u);
  EXPECT_EQ(key_of(compiler(), request), key_of(compiler(), request_of(compiler(), kFill, {90, false})));
}

}  // namespace
}  // namespace crossdock::cuda
