#include "library_paths.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "crossdock/runtime/error.h"
#include "gpus.h"

namespace crossdock::cuda {

namespace {

struct Library {
  std::string_view name;
  std::string stem;                   // of the file, before its version
  std::vector<int> versions;          // best first
  std::vector<std::string> packages;  // folders of NVIDIA's wheels for CUDA 12 and of cuDNN, below `nvidia`
  bool follows_cuda;                  // the file's version is CUDA's
};

const Library& library(std::string_view name) {
  static const std::vector<Library> all = {
      {"driver", "libcuda.so.", {1}, {}, false},
      {"nvrtc", "libnvrtc.so.", {13, 12}, {"cuda_nvrtc"}, true},
      {"cublas", "libcublas.so.", {13, 12}, {"cublas"}, true},
      {"cudnn", "libcudnn.so.", {9}, {"cudnn"}, false},
  };
  auto found = std::find_if(all.begin(), all.end(), [&](const Library& one) { return one.name == name; });
  if (found == all.end())
    throw ValueError("no library of CUDA is called '" + std::string(name) +
                     "' here; there are driver, nvrtc, cublas, cudnn");
  return *found;
}

std::mutex mutex;
std::vector<std::string>& package_folders() {
  static std::vector<std::string> folders;
  return folders;
}

// Those that the driver runs, then the others.
std::array<std::vector<int>, 2> versions(const Library& library) {
  std::array<std::vector<int>, 2> found;
  const int latest = library.follows_cuda ? driver_version().cuda / 1000 : 0;
  for (int version : library.versions) found[latest > 0 && version > latest].push_back(version);
  return found;
}

// Below one folder of packages: CUDA 13's wheels share a folder, those of CUDA 12 have one each.
std::vector<std::string> wheel_folders(const Library& library, int version) {
  std::vector<std::string> found;
  if (library.follows_cuda && version >= 13)
    found.push_back("/nvidia/cu" + std::to_string(version) + "/lib/");
  else
    for (const auto& package : library.packages) found.push_back("/nvidia/" + package + "/lib/");
  return found;
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(variable);
    if (value && value[0] == '/') roots.push_back(value);
  }
  roots.push_back("/usr/local/cuda");
  std::vector<std::string> found;
  for (const auto& root : roots)
    for (const char* below : {"/lib64/", "/lib/"}) found.push_back(root + below);
  return found;
}

class Candidates {
 public:
  void add_if_there(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) add(path);
  }
  void add(const std::string& path) {
    if (std::find(found_.begin(), found_.end(), path) == found_.end()) found_.push_back(path);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

}  // namespace

void set_package_folders(std::vector<std::string> folders) {
  std::erase_if(folders, [](const std::string& folder) { return folder.empty() || folder[0] != '/'; });
  std::lock_guard lock(mutex);
  package_folders() = std::move(folders);
}

std::vector<std::string> library_candidates(std::string_view name) {
  const Library& wanted = library(name);
  std::vector<std::string> packages;
  {
    std::lock_guard lock(mutex);
    packages = package_folders();
  }
  const auto file = [&](int version) { return wanted.stem + std::to_string(version); };
  const auto toolkits = wanted.follows_cuda ? toolkit_folders() : std::vector<std::string>();
  Candidates candidates;
  for (const auto& group : versions(wanted)) {
    for (const auto& folder : packages)
      for (int version : group)
        for (const auto& below : wheel_folders(wanted, version))
          candidates.add_if_there(folder + below + file(version));
    for (const auto& folder : toolkits)
      for (int version : group) candidates.add_if_there(folder + file(version));
    for (int version : group) candidates.add(file(version));
  }
  // Where Windows puts the driver for its Linux, which not every distribution searches.
  if (name == "driver") candidates.add_if_there("/usr/lib/wsl/lib/libcuda.so.1");
  return candidates.take();
}

OpenedLibrary open_library(std::string_view name) {
  OpenedLibrary opened;
  for (const auto& path : library_candidates(name)) {
    opened.library = DynamicLibrary::open(path);
    if (opened.library) {
      opened.path = path;
      opened.error.clear();
      return opened;
    }
    if (!opened.error.empty()) opened.error += '\n';
    opened.error += opened.library.error();
  }
  return opened;
}

std::vector<int> library_version(std::string_view name, const DynamicLibrary& library) {
  if (name == "nvrtc") {
    int major = 0, minor = 0;
    auto* ask = library.function<int(int*, int*)>("nvrtcVersion");
    return ask && ask(&major, &minor) == 0 ? std::vector<int>{major, minor} : std::vector<int>();
  }
  if (name == "cublas") {
    std::vector<int> parts(3);
    auto* ask = library.function<int(int, int*)>("cublasGetProperty");  // of no handle, which would start CUDA
    for (int part = 0; part < 3; ++part)
      if (!ask || ask(part, &parts[static_cast<std::size_t>(part)]) != 0) return {};
    return parts;
  }
  if (name == "cudnn") {
    auto* ask = library.function<std::size_t()>("cudnnGetVersion");
    const int version = ask ? static_cast<int>(ask()) : 0;  // 90100 is 9.1.0
    return version ? std::vector<int>{version / 10000, version / 100 % 100, version % 100} : std::vector<int>();
  }
  return {};
}

}  // namespace crossdock::cuda
