#include "driver.h"

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "crossdock/runtime/at_fork.h"
#include "crossdock/runtime/dynamic_library.h"
#include "crossdock/runtime/error.h"

namespace crossdock::cuda {
namespace {

struct Opened {
  Driver entries;
  std::string problem;
};

Opened open() {
  Opened opened;
  const DynamicLibrary library = DynamicLibrary::open("libcuda.so.1");
  if (!library) {
    opened.problem = "no NVIDIA driver: " + library.error();
    return opened;
  }
#define CROSSDOCK_FIND(name, symbol, parameters)                      \
  opened.entries.name = library.function<Result parameters>(#symbol); \
  if (!opened.entries.name && opened.problem.empty())                 \
    opened.problem = "the NVIDIA driver has no " #symbol "; CUDA 12.0 or newer is needed";
  CROSSDOCK_CUDA_DRIVER(CROSSDOCK_FIND)
#undef CROSSDOCK_FIND
  int version = 0;
  if (opened.problem.empty() && opened.entries.driver_version(&version) == kSuccess && version < kOldestDriver) {
    opened.problem = "the NVIDIA driver is for CUDA " + std::to_string(version / 1000) + "." +
                     std::to_string(version % 1000 / 10) + "; update it to one for CUDA 12.0 or newer";
  }
  return opened;
}

const Opened& opened() {
  static const Opened once = open();
  return once;
}

std::atomic<bool> started{false}, forked{false};

}  // namespace

const Driver* find_driver() { return opened().problem.empty() ? &opened().entries : nullptr; }

const std::string& driver_problem() { return opened().problem; }

bool driver_is_started() noexcept { return started.load(std::memory_order_acquire); }

bool is_forked() noexcept { return forked.load(std::memory_order_relaxed); }

const Driver& driver() {
  const Driver* found = find_driver();
  if (!found) throw DeviceError("cuda: " + driver_problem());
  if (is_forked()) {
    throw DeviceError(
        "CUDA was started in this process before it was forked, and does not work in the child; start the child with "
        "multiprocessing's 'spawn' or 'forkserver' method, or use the GPU only after the fork");
  }
  static ForkMutex starting;
  if (!driver_is_started()) {
    std::lock_guard lock(starting);
    if (!driver_is_started()) {
      const Result result = found->init(0);
      if (result == kNotInitialized) {
        throw DeviceError("CUDA does not start in this process (" + text_of(result) +
                          "): another library may have started it before this process was forked; start the child with "
                          "multiprocessing's 'spawn' or 'forkserver' method, or use the GPU only after the fork");
      }
      check(result, "cuInit", "cuda");
      ::pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
      started.store(true, std::memory_order_release);
    }
  }
  return *found;
}

bool is_lasting(Result result) noexcept {
  constexpr Result kEccUncorrectable = 214, kNvlinkUncorrectable = 220, kIllegalAddress = 700, kLaunchTimeout = 702,
                   kAssert = 710, kHardwareStackError = 714, kLaunchFailed = 719;
  switch (result) {
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kAssert:
      return true;
    default:  // among them illegal instructions, misaligned addresses
      return result >= kHardwareStackError && result <= kLaunchFailed;
  }
}

std::string text_of(Result result) {
  const char *name = nullptr, *text = nullptr;
  if (const Driver* found = find_driver()) {
    found->error_name(result, &name);
    found->error_string(result, &text);
  }
  return std::string(name ? name : "an error that the driver has no name for") + " (" + std::to_string(result) + ")" +
         (text ? std::string(": ") + text : "");
}

void fail(Result result, const char* call, const std::string& device) {
  throw DeviceError(std::string(call) + " failed on " + device + ": " + text_of(result), device);
}

}  // namespace crossdock::cuda
