// How many CUDA GPUs there are, and what the driver is: asked of NVML or of the driver's files, never of CUDA, which a
// later fork would not survive.
#pragma once

#include <string>
#include <vector>

namespace crossdock::cuda {

struct Gpus {
  int count;           // that CUDA would show to this process
  std::string reason;  // why it is 0, empty if it is not
};

struct DriverVersion {
  std::string name;  // as 580.65.06; empty when it cannot be asked
  int cuda = 0;      // the latest CUDA that it runs, as 13000 for 13.0; 0 when it cannot be asked
};

// Where to ask; tests ask elsewhere.
struct GpuSources {
  std::vector<std::string> nvml = {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};  // the first that opens
  std::vector<std::string> driver = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};          // opened, not started
  std::string files = "/proc/driver/nvidia";
  std::string wsl_device = "/dev/dxg";
};

Gpus find_gpus(const GpuSources& sources = {});
DriverVersion find_driver_version(const GpuSources& sources = {});

// The answers of the first call, CUDA_VISIBLE_DEVICES included: CUDA, too, reads it once.
const Gpus& gpus();
const DriverVersion& driver_version();

}  // namespace crossdock::cuda
