// Entry points for modules, functions and launches.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "entry.h"
#include "faults.h"
#include "grid.h"
#include "settings.h"

namespace fake::abi {
namespace {

struct Function {
  const Kernel* kernel;
  Device* device;
  std::atomic<int> shared_max{48 << 10};
};

// The names of the kernels in a CUBIN, from its sections `.text.NAME`; `any` when it has no sections to tell.
struct Module {
  Device* device;
  bool any = true;
  std::map<std::string, bool> names;
  std::map<std::string, std::shared_ptr<Function>> functions;
};

std::mutex lock_of_modules;

std::map<void*, std::unique_ptr<Module>>& modules() {
  static auto* const made = new std::map<void*, std::unique_ptr<Module>>;
  return *made;
}

// Of the modules that are loaded.
std::unordered_map<void*, std::shared_ptr<Function>>& functions() {
  static auto* const made = new std::unordered_map<void*, std::shared_ptr<Function>>;
  return *made;
}

std::shared_ptr<Function> look_up(CUfunction handle) {
  std::lock_guard lock(lock_of_modules);
  auto found = functions().find(handle);
  return found == functions().end() ? nullptr : found->second;
}

void read_names(Module& module, const char* image) {
  Elf64_Ehdr head;
  std::memcpy(&head, image, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || !head.e_shoff || !head.e_shnum || head.e_shstrndx >= head.e_shnum) return;
  auto section = [&](unsigned i) {
    Elf64_Shdr read;
    std::memcpy(&read, image + head.e_shoff + i * head.e_shentsize, sizeof read);
    return read;
  };
  const char* strings = image + section(head.e_shstrndx).sh_offset;
  module.any = false;
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    const char* name = strings + section(i).sh_name;
    if (!std::strncmp(name, ".text.", 6)) module.names[name + 6] = true;
  }
}

bool fits(unsigned x, unsigned most) { return x >= 1 && x <= most; }

int blocks_of(int threads, std::size_t shared) {
  if (!fits(threads, 1024)) return 0;
  const int by_threads = 2048 / ((threads + 31) / 32 * 32);
  const int by_shared = static_cast<int>((228 << 10) / (shared + 1024));
  return std::min({32, by_threads, by_shared});
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ENTER(cuModuleLoadData, context);
  if (!module || !image) return kInvalidValue;
  const bool cubin = !std::memcmp(image, ELFMAG, SELFMAG);
  const char first = *static_cast<const char*>(image);
  if (!cubin && first != '/' && first != '.' && first != '\n') return kInvalidImage;  // nor the begin of PTX
  auto made = std::make_unique<Module>();
  made->device = current();
  if (cubin) read_names(*made, static_cast<const char*>(image));
  std::lock_guard lock(lock_of_modules);
  *module = reinterpret_cast<CUmodule>(made.get());
  modules()[made.get()] = std::move(made);
  count("live_modules");
  return kSuccess;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER(cuModuleUnload, context);
  current()->drain();
  std::lock_guard lock(lock_of_modules);
  auto found = modules().find(module);
  if (found == modules().end()) return kInvalidHandle;
  for (auto& [name, function] : found->second->functions) functions().erase(function.get());
  modules().erase(found);
  count("live_modules", -1);
  return kSuccess;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  ENTER(cuModuleGetFunction, context);
  if (!function || !name) return kInvalidValue;
  std::lock_guard lock(lock_of_modules);
  auto found = modules().find(handle);
  if (found == modules().end()) return kInvalidHandle;
  Module& module = *found->second;
  if (!module.any && !module.names.contains(name)) return kNotFound;
  auto& made = module.functions[name];
  if (!made) {
    const Kernel* kernel = find_kernel(name);
    if (!kernel) {
      module.functions.erase(name);
      say(std::string("no kernel of the name ") + name + " was built into the fake");
      return kNotFound;
    }
    made = std::make_shared<Function>(kernel, module.device);
    functions()[made.get()] = made;
  }
  *function = reinterpret_cast<CUfunction>(made.get());
  return kSuccess;
}

// By the numbers of CUfunction_attribute.
CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction handle) {
  ENTER(cuFuncGetAttribute, context);
  auto function = look_up(handle);
  if (!value) return kInvalidValue;
  if (!function) return kInvalidHandle;
  switch (attribute) {
    case 0:
      *value = 1024;
      break;
    case 1:
    case 2:
    case 3:
    case 7:
      *value = 0;
      break;
    case 4:
      *value = 32;
      break;
    case 5:
    case 6:
      *value = settings().major * 10 + settings().minor;
      break;
    case 8:
      *value = function->shared_max;
      break;
    case 9:
      *value = -1;
      break;
    default:
      return kInvalidValue;
  }
  return kSuccess;
}

CUresult cuFuncSetAttribute(CUfunction handle, int attribute, int value) {
  ENTER(cuFuncSetAttribute, context);
  auto function = look_up(handle);
  if (!function) return kInvalidHandle;
  if (attribute == 9) return value >= -1 && value <= 100 ? kSuccess : kInvalidValue;
  if (attribute != 8 || value < 0 || value > static_cast<int>(kSharedMax)) return kInvalidValue;
  function->shared_max = value;
  return kSuccess;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads, std::size_t shared) {
  ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor, context);
  auto function = look_up(handle);
  if (!blocks || threads <= 0) return kInvalidValue;
  if (!function) return kInvalidHandle;
  *blocks = shared > static_cast<std::size_t>(function->shared_max) ? 0 : blocks_of(threads, shared);
  return kSuccess;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream_handle, void** parameters,
                        void** extra) {
  ENTER(cuLaunchKernel, context);
  auto function = look_up(handle);
  auto stream = stream_of(stream_handle);
  if (!function || !stream || function->device != current() || &stream->device != current()) return kInvalidHandle;
  if (!parameters || !parameters[0] || extra) return kInvalidValue;
  if (!fits(grid_x, 2147483647) || !fits(grid_y, 65535) || !fits(grid_z, 65535)) return kInvalidValue;
  if (!fits(block_x, 1024) || !fits(block_y, 1024) || !fits(block_z, 64)) return kInvalidValue;
  if (block_x * block_y * block_z > 1024 || shared > static_cast<unsigned>(function->shared_max)) return kInvalidValue;
  count("launches");
  auto* given = static_cast<char*>(parameters[0]);
  // Aligned for any member, as the device's parameter space is.
  auto args =
      std::make_shared<std::vector<std::max_align_t>>(function->kernel->args_nbytes / sizeof(std::max_align_t) + 1);
  std::memcpy(args->data(), given, function->kernel->args_nbytes);
  auto work = [=] {
    return run_grid(*function->kernel, args->data(), {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared);
  };
  stream->device.submit(stream, {.kind = "run:launch", .work = work});
  return kSuccess;
}

}  // namespace fake::abi
