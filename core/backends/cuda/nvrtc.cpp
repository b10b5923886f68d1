#include "nvrtc.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/dynamic_library.h"
#include "crossdock/runtime/error.h"
#include "library_paths.h"

namespace crossdock::cuda {
namespace {

constexpr int kOldestMajor = 12;  // C++20

template <class Function>
bool take(const DynamicLibrary& library, const char* name, Function*& function) {
  function = library.function<Function>(name);
  return function != nullptr;
}

bool take_functions(const DynamicLibrary& library, Nvrtc& found) {
  return take(library, "nvrtcGetErrorString", found.error_text) && take(library, "nvrtcCreateProgram", found.create) &&
         take(library, "nvrtcDestroyProgram", found.destroy) &&
         take(library, "nvrtcAddNameExpression", found.add_name) &&
         take(library, "nvrtcCompileProgram", found.compile) &&
         take(library, "nvrtcGetProgramLogSize", found.log_size) && take(library, "nvrtcGetProgramLog", found.log) &&
         take(library, "nvrtcGetLoweredName", found.lowered_name) &&
         take(library, "nvrtcGetCUBINSize", found.cubin_size) && take(library, "nvrtcGetCUBIN", found.cubin) &&
         take(library, "nvrtcGetPTXSize", found.ptx_size) && take(library, "nvrtcGetPTX", found.ptx);
}

std::vector<int> architectures_of(const DynamicLibrary& library) {
  auto* count_of = library.function<int(int*)>("nvrtcGetNumSupportedArchs");
  auto* list = library.function<int(int*)>("nvrtcGetSupportedArchs");
  int count = 0;
  if (!count_of || !list || count_of(&count) != 0 || count <= 0 || count > 1000) return {};
  std::vector<int> found(static_cast<std::size_t>(count));
  if (list(found.data()) != 0) return {};
  std::ranges::sort(found);
  return found;
}

// Patch releases say the same version: their files differ in size.
void identify(const DynamicLibrary& library, Nvrtc& found) {
  found.identity = found.version();
  Dl_info info{};
  struct stat file{};
  if (!::dladdr(library.symbol("nvrtcVersion"), &info) || !info.dli_fname) return;
  found.path = info.dli_fname;
  if (::stat(info.dli_fname, &file) == 0) found.identity += '/' + std::to_string(file.st_size);
}

// NVRTC opens its builtins by name, which fails where neither it nor the environment says in which folder. A library
// of that name that is open already is taken.
void open_builtins(const Nvrtc& found) {
  const auto slash = found.path.rfind('/');
  if (slash != std::string::npos)
    DynamicLibrary::open(found.path.substr(0, slash + 1) + "libnvrtc-builtins.so." + found.version());
}

// Empty when it does; otherwise why it does not.
std::string try_candidate(const std::string& path, Nvrtc& found) {
  const auto library = DynamicLibrary::open(path);
  if (!library) return library.error();
  found.path = path;
  auto* version = library.function<int(int*, int*)>("nvrtcVersion");
  if (!version || version(&found.major, &found.minor) != 0) return path + ": does not tell its version";
  if (found.major < kOldestMajor) return path + ": is NVRTC " + found.version() + ", 12.0 or later is needed";
  if (!take_functions(library, found)) return path + ": lacks functions of NVRTC";
  found.architectures = architectures_of(library);
  if (found.architectures.empty()) return path + ": does not tell for which GPUs it compiles";
  identify(library, found);
  open_builtins(found);
  return {};
}

std::unique_ptr<const Nvrtc> find() {
  std::string reasons;
  for (const auto& path : library_candidates("nvrtc")) {
    auto found = std::make_unique<Nvrtc>();
    const auto reason = try_candidate(path, *found);
    if (reason.empty()) return found;
    reasons += "\n  " + reason;
  }
  throw DeviceError(
      "NVRTC not found, which compiles the kernels of cuda:N: pip install 'crossdock[cuda13]' (for a "
      "driver of CUDA 12 'crossdock[cuda12]'), or install the CUDA toolkit, 12.0 or later; tried:" +
      reasons);
}

ForkMutex& mutex() {
  static ForkMutex* one = new ForkMutex;  // never destroyed: threads may compile while the process ends
  return *one;
}

}  // namespace

const Nvrtc& nvrtc() {
  static std::atomic<const Nvrtc*> kept{nullptr};
  if (const Nvrtc* found = kept.load(std::memory_order_acquire)) return *found;
  std::lock_guard lock(mutex());
  if (!kept.load(std::memory_order_relaxed)) kept.store(find().release(), std::memory_order_release);
  return *kept.load(std::memory_order_relaxed);
}

}  // namespace crossdock::cuda
