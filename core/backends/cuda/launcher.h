// Launcher: how the host side of a kernel family sends one launch to the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crossdock/runtime/allocator.h"
#include "crossdock/runtime/kernel.h"
#include "crossdock/runtime/nest.h"
#include "kernel_family.h"
#include "kernels/args.h"

namespace crossdock::cuda {

struct Grid {
  unsigned x = 1, y = 1, z = 1;  // blocks
  unsigned threads = 256;        // of each block, in one dimension
  unsigned shared_nbytes = 0;    // dynamic
};

// One launch of an operation: its device, its stream and what kernels need besides arrays. `launch` outlives it.
class Launcher {
 public:
  explicit Launcher(const Launch& launch) noexcept : launch_(launch) {}

  const Launch& launch() const noexcept { return launch_; }
  ErrorRecord* errors() const;  // of the launch's stream
  int multiprocessors() const noexcept;
  // Enough blocks for `elements`, `per_thread` in each thread, and no more than fill the device some times over:
  // kernels step through the rest by the grid's size.
  Grid grid(std::int64_t elements, int per_thread = 1, unsigned threads = 256) const noexcept;

  // Enqueues the family's instance `number`; NotImplementedError when there is none.
  template <class Args>
  void run(KernelFamily& family, int number, const Grid& grid, const Args& args) const {
    static_assert(sizeof(Args) <= 4096, "kernel arguments are at most 4 KB");
    enqueue(family, number, grid, &args);
  }

  void fill(std::byte* data, unsigned char value, std::size_t nbytes) const;  // memset, in stream order
  void copy(std::byte* to, const std::byte* from, std::size_t nbytes) const;  // on the device, in stream order

 private:
  void enqueue(KernelFamily& family, int number, const Grid& grid, const void* args) const;

  const Launch& launch_;
};

// Memory for the kernels of one launch; given back at once, since the stream's later work comes after.
class Scratch {
 public:
  Scratch(const Launcher& launcher, std::size_t nbytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::byte* data() const noexcept { return block_.data; }

 private:
  Allocator& allocator_;
  Block block_;
};

// Operand `i` of the launch as kernels take it.
KernelOperand operand_of(const Launch& launch, int i) noexcept;

// Whether an elementwise launch is one flat run: every operand contiguous over the launch's shape, or a scalar.
bool is_flat(const Launch& launch) noexcept;

template <int n>
FlatArgs<n> flat_args(const Launcher& launcher) {
  FlatArgs<n> args{};
  args.size = 1;
  for (auto extent : launcher.launch().shape) args.size *= extent;
  args.errors = launcher.errors();
  for (int i = 0; i < n; ++i) args.operands[i] = operand_of(launcher.launch(), i);
  return args;
}

// Calls visit(args) for the whole nest, or for parts of it where it has too many dimensions; not at all when empty.
template <int n, class Visit>
void for_nest(const Launcher& launcher, const Nest& nest, Visit&& visit) {
  if (nest.size == 0) return;
  NestArgs<n> args{};
  args.errors = launcher.errors();
  const int outer = nest.ndim > kMaxKernelNdim ? nest.ndim - kMaxKernelNdim : 0;
  args.ndim = nest.ndim - outer;
  args.size = 1;
  for (int dim = 0; dim < args.ndim; ++dim) {
    args.size *= args.shape[dim] = nest.shape[outer + dim];
    for (int i = 0; i < n; ++i) args.strides[i][dim] = nest.strides[outer + dim][i];
  }
  std::int64_t parts = 1;
  for (int dim = 0; dim < outer; ++dim) parts *= nest.shape[dim];
  for (std::int64_t part = 0; part < parts; ++part) {
    for (int i = 0; i < n; ++i) {
      args.operands[i] = operand_of(launcher.launch(), i);
      if (!args.operands[i].data) continue;
      std::byte* data = nest.pointers[i];
      std::int64_t rest = part;
      for (int dim = outer - 1; dim >= 0; --dim) {
        data += rest % nest.shape[dim] * nest.strides[dim][i];
        rest /= nest.shape[dim];
      }
      args.operands[i].data = reinterpret_cast<unsigned char*>(data);
    }
    visit(args);
  }
}

}  // namespace crossdock::cuda
