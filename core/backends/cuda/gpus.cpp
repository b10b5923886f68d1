#include "gpus.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "crossdock/runtime/dynamic_library.h"

namespace crossdock::cuda {

namespace {

namespace files = std::filesystem;

constexpr int kVersionMismatch = 18;  // NVML_ERROR_LIB_RM_VERSION_MISMATCH

DynamicLibrary open_first(const std::vector<std::string>& paths) {
  DynamicLibrary library;
  for (const auto& path : paths)
    if ((library = DynamicLibrary::open(path))) break;
  return library;
}

// NVML between its start and its end.
class Nvml {
 public:
  explicit Nvml(const std::vector<std::string>& paths) {
    library_ = open_first(paths);
    auto* start = library_.function<int()>("nvmlInit_v2");
    if (start) status_ = start();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (status_ != 0) return;
    if (auto* end = library_.function<int()>("nvmlShutdown")) end();
  }

  bool mismatch() const noexcept { return status_ == kVersionMismatch; }

  std::optional<int> count() const noexcept {
    unsigned value = 0;
    auto* ask = function<int(unsigned*)>("nvmlDeviceGetCount_v2");
    return ask && ask(&value) == 0 ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
  }

  DriverVersion version() const {
    DriverVersion found;
    char name[81] = "";
    if (auto* ask = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion"); ask && ask(name, 80) == 0)
      found.name = name;
    int cuda = 0;
    if (auto* ask = function<int(int*)>("nvmlSystemGetCudaDriverVersion_v2"); ask && ask(&cuda) == 0) found.cuda = cuda;
    return found;
  }

 private:
  template <class Function>
  Function* function(const char* name) const noexcept {
    return status_ == 0 ? library_.function<Function>(name) : nullptr;
  }

  DynamicLibrary library_;
  int status_ = -1;
};

bool exists(const std::string& path) noexcept {
  std::error_code ignored;
  return files::exists(path, ignored);
}

// nullopt: no driver.
std::optional<int> count_files(const GpuSources& sources) {
  std::error_code error;
  int count = 0;
  files::directory_iterator folder(sources.files + "/gpus", error);
  if (!error) {
    for (const files::directory_iterator end; !error && folder != end; folder.increment(error)) ++count;
    return count;
  }
  if (exists(sources.files + "/version") || exists(sources.wsl_device)) return 0;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool names_gpu(std::string_view entry, int count) noexcept {
  if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return true;
  int index = 0;
  auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  return error == std::errc() && end == entry.data() + entry.size() && index >= 0 && index < count;
}

// How many of `count` GPUs the variable leaves; CUDA stops reading at the first entry that is none.
int count_visible(int count, std::string_view variable) noexcept {
  int left = 0;
  while (true) {
    const auto comma = variable.find(',');
    if (!names_gpu(trimmed(variable.substr(0, comma)), count)) return left;
    ++left;
    if (comma == variable.npos) return left;
    variable.remove_prefix(comma + 1);
  }
}

}  // namespace

Gpus find_gpus(const GpuSources& sources) {
  std::optional<int> count;
  {
    const Nvml nvml(sources.nvml);
    if (nvml.mismatch())
      return {0, "the NVIDIA driver's library and its kernel module are of different versions; reboot the machine"};
    count = nvml.count();
  }
  if (!count) count = count_files(sources);
  if (!count) return {0, "no NVIDIA driver is loaded on this machine"};
  if (*count == 0) return {0, "the NVIDIA driver finds no GPU"};
  // A container shows the driver's files, and perhaps NVML, also where it was given no CUDA.
  if (!open_first(sources.driver))
    return {0,
            "the NVIDIA driver is loaded, but its libcuda.so.1 is not here; start a container with --gpus all and "
            "'compute' among NVIDIA_DRIVER_CAPABILITIES"};
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!variable) return {*count, ""};
  if (const int left = count_visible(*count, variable)) return {left, ""};
  const std::string here = *count == 1 ? "GPU" : std::to_string(*count) + " GPUs";
  return {0, "CUDA_VISIBLE_DEVICES='" + std::string(variable) + "' hides the " + here + " of this machine"};
}

DriverVersion find_driver_version(const GpuSources& sources) { return Nvml(sources.nvml).version(); }

const Gpus& gpus() {
  static const Gpus found = find_gpus();
  return found;
}

const DriverVersion& driver_version() {
  static const DriverVersion found = find_driver_version();
  return found;
}

}  // namespace crossdock::cuda
