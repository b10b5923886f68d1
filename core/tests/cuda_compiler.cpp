#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "../backends/cuda/compiler.h"
#include "../backends/cuda/disk_cache.h"
#include "../backends/cuda/nvrtc.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

// NVIDIA's packages are seen from Python alone; here it is the toolkit's or the system's.
class CudaCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc();
    } catch (const DeviceError& error) {
      ASSERT_TRUE(std::string(error.what()).starts_with("NVRTC not found")) << error.what();
      GTEST_SKIP() << error.what();
    }
  }
  const DiskCache nowhere_{"", 1};
};

TEST_F(CudaCompiler, MakesImages) {
  const auto image = compile({"fill.cuh", "fill<std::uint32_t>"}, {90, false}, nowhere_);
  EXPECT_EQ(image.entry, "_ZN9crossdock4cuda4fillIjEEvNS0_8FlatArgsILi2EEE");
  ASSERT_GT(image.cubin.size(), 4u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(image.cubin.data()) + 1, 3), "ELF");
  EXPECT_FALSE(image.from_disk);
}

TEST_F(CudaCompiler, ThreadsCompileAtOnce) {
  const char* types[] = {"std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t"};
  Image images[4];
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&, i] { images[i] = compile({"fill.cuh", std::string("fill<") + types[i] + ">"}, {80, false}, nowhere_); });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(images[i].entry, std::string("_ZN9crossdock4cuda4fillI") + "htjm"[i] + "EEvNS0_8FlatArgsILi2EEE");
}

}  // namespace
}  // namespace crossdock::cuda
