// What is there of CUDA, for the rooms above.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../backends/cuda/compiler.h"
#include "../backends/cuda/gpus.h"
#include "../backends/cuda/library_paths.h"
#include "../backends/cuda/nvrtc.h"
#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

void define_gpus(nb::module_& m) {
  m.def(
      "_cuda_gpus",
      [] {
        const cuda::Gpus found = [] {
          const Unlocked unlocked;
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
        const Unlocked unlocked;
        const cuda::OpenedLibrary opened = cuda::open_library(name);
        const std::vector<int> version = cuda::library_version(name, opened.library);
        const Locked locked;
        return nb::make_tuple(opened.path, version, opened.error);
      },
      "name"_a, nb::sig("def _cuda_open_library(name: str) -> tuple[str, list[int], str]"),
      "What opens of the candidates and its version, or '' and why not.");
}

void define_compiler(nb::module_& m) {
  m.def(
      "_cuda_kernel_names",
      [] {
        nb::list names;
        for (const auto& name : cuda::all_kernel_names()) names.append(nb::make_tuple(name.header, name.expression));
        return names;
      },
      nb::sig("def _cuda_kernel_names() -> list[tuple[str, str]]"), "Header and expression of every kernel.");
  m.def(
      "_cuda_compile",
      [](std::string header, std::string expression, const std::string& architecture) {
        const cuda::Image image = [&] {
          const Unlocked unlocked;
          return cuda::compile({std::move(header), std::move(expression)}, cuda::Architecture::parse(architecture));
        }();
        return nb::make_tuple(image.cubin.size(), image.from_disk);
      },
      "header"_a, "expression"_a, "architecture"_a,
      nb::sig("def _cuda_compile(header: str, expression: str, architecture: str) -> tuple[int, bool]"),
      "The size of the kernel's code in bytes, and whether it was kept on the disk.");
  m.def(
      "_nvrtc_version",
      [] {
        const auto& found = [] -> const cuda::Nvrtc& {
          const Unlocked unlocked;
          return cuda::nvrtc();
        }();
        return nb::make_tuple(found.major, found.minor);
      },
      nb::sig("def _nvrtc_version() -> tuple[int, int]"), "DeviceError with the reason when there is none.");
}

}  // namespace

void define_cuda(nb::module_& m) {
  define_gpus(m);
  define_library_paths(m);
  define_compiler(m);
}

}  // namespace crossdock::bind
