// What is there of CUDA, for the rooms above.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../backends/cuda/gpus.h"
#include "../backends/cuda/library_paths.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

void define_gpus(nb::module_& m) {
  m.def(
      "_cuda_gpus",
      [] {
        const cuda::Gpus found = [] {
          nb::gil_scoped_release release;
          return cuda::gpus();
        }();
        return nb::make_tuple(found.count, found.reason);
      },
      nb::sig("def _cuda_gpus() -> tuple[int, str]"), "How many GPUs CUDA would show, and why none; asked once.");
  m.def(
      "_cuda_find_gpus",
      [](std::vector<std::string> nvml, std::vector<std::string> driver, std::string files, std::string wsl_device) {
        const cuda::Gpus found =
            cuda::find_gpus({std::move(nvml), std::move(driver), std::move(files), std::move(wsl_device)});
        return nb::make_tuple(found.count, found.reason);
      },
      "nvml"_a, "driver"_a, "files"_a, "wsl_device"_a,
      nb::sig("def _cuda_find_gpus(nvml: Sequence[str], driver: Sequence[str], files: str, wsl_device: str) "
              "-> tuple[int, str]"),
      "As _cuda_gpus, asked anew and elsewhere.");
  m.def(
      "_cuda_driver_version",
      [] {
        const cuda::DriverVersion& found = cuda::driver_version();
        return nb::make_tuple(found.name, found.cuda);
      },
      nb::sig("def _cuda_driver_version() -> tuple[str, int]"),
      "The driver's version and the latest CUDA that it runs, as 13000; '' and 0 where it cannot be asked.");
}

void define_library_paths(nb::module_& m) {
  m.def("_set_cuda_package_folders", &cuda::set_package_folders, "folders"_a,
        "Where packages are installed; NVIDIA's may be among them.");
  m.def("_cuda_library_candidates", &cuda::library_candidates, "name"_a, "What to open of that library, best first.");
  m.def(
      "_cuda_open_library",
      [](const std::string& name) {
        nb::gil_scoped_release release;
        const cuda::OpenedLibrary opened = cuda::open_library(name);
        const std::vector<int> version = cuda::library_version(name, opened.library);
        nb::gil_scoped_acquire acquire;
        return nb::make_tuple(opened.path, version, opened.error);
      },
      "name"_a, nb::sig("def _cuda_open_library(name: str) -> tuple[str, list[int], str]"),
      "What opens of the candidates and its version, or '' and why not.");
}

}  // namespace

void define_cuda(nb::module_& m) {
  define_gpus(m);
  define_library_paths(m);
}

}  // namespace crossdock::bind
