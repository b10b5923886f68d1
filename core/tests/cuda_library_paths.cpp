#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../backends/cuda/library_paths.h"
#include "crossdock/runtime/error.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

namespace files = std::filesystem;

class LibraryPaths : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CUDA_PATH");
    ::unsetenv("CUDA_HOME");
    files::remove_all(folder_);
  }
  void TearDown() override {
    set_package_folders({});
    ::unsetenv("CUDA_HOME");
    files::remove_all(folder_);
  }

  std::string make(const std::string& file) {
    const files::path path = folder_ / file;
    files::create_directories(path.parent_path());
    std::ofstream(path) << "no library";
    return path.string();
  }

  const files::path folder_ = files::temp_directory_path() / ("crossdock-cuda-" + std::to_string(::getpid()));
};

std::size_t place(const std::vector<std::string>& all, const std::string& one) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), one) - all.begin());
}

TEST_F(LibraryPaths, WheelsThenToolkitThenSystem) {
  const auto later = make("packages/nvidia/cu13/lib/libnvrtc.so.13");
  const auto earlier = make("packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  const auto toolkit = make("toolkit/lib64/libnvrtc.so.13");
  ::setenv("CUDA_HOME", (folder_ / "toolkit").c_str(), 1);
  set_package_folders({"", "relative", folder_ / "packages"});
  const auto found = library_candidates("nvrtc");
  ASSERT_LT(place(found, earlier), found.size());
  EXPECT_EQ(found[0], later);
  EXPECT_LT(place(found, earlier), place(found, "libnvrtc.so.12"));
  EXPECT_LT(place(found, toolkit), place(found, "libnvrtc.so.13"));
  EXPECT_LT(place(found, "libnvrtc.so.13"), found.size());
}

TEST_F(LibraryPaths, TheSystemsNamesAlone) {
  for (const auto& path : library_candidates("driver")) EXPECT_NE(path.find("libcuda.so.1"), path.npos);
  EXPECT_EQ(library_candidates("cudnn"), std::vector<std::string>{"libcudnn.so.9"});
  EXPECT_THROW(library_candidates("nvml"), ValueError);
}

TEST_F(LibraryPaths, SaysWhyNoneOpens) {
  const auto broken = make("packages/nvidia/cudnn/lib/libcudnn.so.9");
  set_package_folders({folder_ / "packages"});
  const auto opened = open_library("cudnn");
  if (opened.library) GTEST_SKIP() << "there is one: " << opened.path;
  EXPECT_TRUE(opened.path.empty());
  EXPECT_NE(opened.error.find(broken), std::string::npos);
  EXPECT_TRUE(library_version("cudnn", opened.library).empty());
}

}  // namespace
}  // namespace crossdock::cuda
