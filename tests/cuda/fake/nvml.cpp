// The fake libnvidia-ml.so.1: what tells how many GPUs there are without CUDA's being initialised.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "settings.h"

namespace {

constexpr int kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kInsufficientSize = 7;
std::atomic<int> users{0};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  ++users;
  return kSuccess;
}

int nvmlShutdown() {
  if (!users) return kUninitialized;
  --users;
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (!users) return kUninitialized;
  if (!count) return kInvalidArgument;
  *count = static_cast<unsigned>(fake::settings().devices);
  return kSuccess;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (!version) return kInvalidArgument;
  *version = fake::settings().driver_version;
  return kSuccess;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  if (!users) return kUninitialized;
  if (!version) return kInvalidArgument;
  if (size < 11) return kInsufficientSize;
  std::snprintf(version, size, "580.00.fake");
  return kSuccess;
}
}
