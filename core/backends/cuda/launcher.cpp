#include "launcher.h"

#include <algorithm>
#include <cstring>

#include "device.h"

namespace crossdock::cuda {
namespace {

CudaStream& stream_of(const Launch& launch) noexcept { return static_cast<CudaStream&>(*launch.stream); }
CudaDevice& device_of(const Launch& launch) noexcept { return static_cast<CudaDevice&>(launch.stream->device()); }

}  // namespace

ErrorRecord* Launcher::errors() const { return stream_of(launch_).failures().record(); }

int Launcher::multiprocessors() const noexcept { return device_of(launch_).multiprocessors(); }

Grid Launcher::grid(std::int64_t elements, int per_thread, unsigned threads) const noexcept {
  constexpr std::int64_t kBlocksEach = 32;  // of a multiprocessor: enough to even out, few enough to start fast
  const std::int64_t per_block = static_cast<std::int64_t>(threads) * per_thread;
  const std::int64_t blocks = (elements + per_block - 1) / per_block;
  Grid grid;
  grid.threads = threads;
  grid.x = static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, multiprocessors() * kBlocksEach));
  return grid;
}

void Launcher::fill(std::byte* data, unsigned char value, std::size_t nbytes) const {
  if (!nbytes) return;
  CudaDevice& device = device_of(launch_);
  const CudaStream& stream = stream_of(launch_);
  stream.check(device.driver().fill_bytes(device_pointer(data), value, nbytes, stream.handle()), "cuMemsetD8Async");
}

void Launcher::copy(std::byte* to, const std::byte* from, std::size_t nbytes) const {
  if (!nbytes) return;
  CudaDevice& device = device_of(launch_);
  const CudaStream& stream = stream_of(launch_);
  stream.check(device.driver().copy_on_device(device_pointer(to), device_pointer(from), nbytes, stream.handle()),
               "cuMemcpyDtoDAsync");
}

void Launcher::enqueue(KernelFamily& family, int number, const Grid& grid, const void* args) const {
  CudaDevice& device = device_of(launch_);
  const FunctionHandle function = device.functions().get(family, number);
  void* arguments[] = {const_cast<void*>(args)};
  const CudaStream& stream = stream_of(launch_);
  stream.check(device.driver().launch_kernel(function, grid.x, grid.y, grid.z, grid.threads, 1, 1, grid.shared_nbytes,
                                             stream.handle(), arguments, nullptr),
               "cuLaunchKernel");
}

Scratch::Scratch(const Launcher& launcher, std::size_t nbytes)
    : allocator_(device_of(launcher.launch()).allocator()),
      block_(allocator_.allocate(nbytes, launcher.launch().stream)) {}

Scratch::~Scratch() { allocator_.release(block_); }

KernelOperand operand_of(const Launch& launch, int i) noexcept {
  const Operand& operand = launch.operands[static_cast<std::size_t>(i)];
  KernelOperand given{};
  given.data = reinterpret_cast<unsigned char*>(operand.data);
  std::memcpy(given.immediate, operand.immediate, sizeof given.immediate);
  return given;
}

bool is_flat(const Launch& launch) noexcept {
  for (int i = 0; i < launch.noperands; ++i) {
    const Operand& operand = launch.operands[static_cast<std::size_t>(i)];
    if (!operand.data) continue;
    std::int64_t expected = itemsize(operand.dtype);
    for (int dim = launch.shape.size() - 1; dim >= 0; --dim) {
      if (launch.shape[dim] != 1 && operand.strides[dim] != expected) return false;
      expected *= launch.shape[dim];
    }
  }
  return true;
}

}  // namespace crossdock::cuda
