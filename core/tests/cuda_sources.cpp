#include <algorithm>
#include <set>
#include <string>

#include "../backends/cuda/sha256.h"
#include "../backends/cuda/sources.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

std::set<std::string> names_with(const char* name) {
  std::set<std::string> names;
  for (const Source* source : with_includes(name)) names.insert(source->name);
  return names;
}

TEST(CudaSources, AreWholeAndNamedAsIncluded) {
  ASSERT_GT(sources().size(), 20u);
  for (const Source& source : sources()) {
    EXPECT_EQ(hexadecimal(Sha256().add(source.text).digest()), source.sha256) << source.name;
    EXPECT_NE(std::string(source.text).find("#pragma once\n"), std::string::npos) << source.name;
    EXPECT_EQ(find_source(source.name), &source);
  }
  EXPECT_EQ(find_source("kernels/none.cuh"), nullptr);
}

TEST(CudaSources, IncludesAreFollowed) {
  EXPECT_EQ(names_with("crossdock/functors/host_device.h"),
            (std::set<std::string>{"crossdock/functors/host_device.h"}));
  const auto fill = names_with("kernels/fill.cuh");
  for (const char* needed : {"kernels/fill.cuh", "kernels/device.h", "kernels/args.h", "kernels/bytes.h",
                             "crossdock/functors/host_device.h"})
    EXPECT_TRUE(fill.contains(needed)) << needed;
  EXPECT_FALSE(fill.contains("crossdock/functors/cast.h"));
  EXPECT_THROW(with_includes("kernels/none.cuh"), DeviceError);
}

// NVRTC is given nothing else.
TEST(CudaSources, IncludeEachOtherOnly) {
  const std::set<std::string> of_the_host = {"emulation.h", "kernels/emulation.h"};
  const std::string word = "\n#include \"";
  for (const Source& source : sources()) {
    const std::string text = source.text;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const auto begin = at + word.size();
      const auto name = text.substr(begin, text.find('"', begin) - begin);
      EXPECT_TRUE(find_source(name) || of_the_host.contains(name)) << name << " in " << source.name;
    }
  }
}

TEST(CudaSources, HaveOneDigest) {
  EXPECT_EQ(sources_digest().size(), 64u);
  EXPECT_EQ(sources_digest(), sources_digest());
}

}  // namespace
}  // namespace crossdock::cuda
