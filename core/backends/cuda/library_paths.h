// Where the libraries of CUDA may be: wheels from NVIDIA, the toolkit, the system, in this order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crossdock/runtime/dynamic_library.h"

namespace crossdock::cuda {

// Folders that packages are installed in, as those of Python's sys.path; none at first. Those that are no absolute
// paths are ignored: a library must not come from where the program happens to run.
void set_package_folders(std::vector<std::string> folders);

// What to open, best first, of 'driver', 'nvrtc', 'cublas', 'cudnn': files that exist, then the bare names
// that the system resolves. Libraries of a later CUDA than the driver runs come last.
std::vector<std::string> library_candidates(std::string_view name);

struct OpenedLibrary {
  DynamicLibrary library;  // false if none opens
  std::string path;        // which it is, as the candidates name it
  std::string error;       // why none opens, a line for each candidate
};
OpenedLibrary open_library(std::string_view name);

// Major and minor version, and what else it says of itself; empty for the driver, which would have to be started.
std::vector<int> library_version(std::string_view name, const DynamicLibrary& library);

}  // namespace crossdock::cuda
