// Kernels for tests of the fake itself, and one for each way to go wrong.
#pragma once

#include "kernels/device.h"
#include "samples_args.h"

namespace crossdock::cuda {

template <class T>
__global__ void add(Add<T> args) {
  const long first = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long i = first; i < args.n; i += static_cast<long>(blockDim.x) * gridDim.x) args.out[i] = args.a[i] + args.b[i];
}

template <class T>
__device__ T sum_of_warp(T value) {
  for (int delta = 16; delta; delta /= 2) value += __shfl_down_sync(0xffffffff, value, delta);
  return value;
}

// One sum per block: shuffles within warps, shared memory between them.
template <class T>
__global__ void __launch_bounds__(1024) sum(Add<T> args) {
  __shared__ T of_warps[32];
  T value = 0;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < args.n;
       i += static_cast<long>(blockDim.x) * gridDim.x)
    value += args.a[i];
  value = sum_of_warp(value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = sum_of_warp(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : T(0));
  if (threadIdx.x == 0) args.out[blockIdx.x] = value;
}

// Reverses each block's part, in shared memory that the launch sizes.
template <class T>
__global__ void reverse(Add<T> args) {
  T* const part = dynamic_shared<T>();
  const long first = static_cast<long>(blockIdx.x) * blockDim.x;
  part[threadIdx.x] = args.a[first + threadIdx.x];
  __syncthreads();
  args.out[first + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

__global__ void count_bins(Histogram args) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < args.n) atomicAdd(&args.bins[args.values[i] % args.n_bins], 1u);
  if (i < args.n) atomicMax(args.largest, args.values[i]);
}

// Each warp's ballots and shuffles, one row of 8 numbers per thread.
__global__ void lanes(Lanes args) {
  const int i = threadIdx.x;
  int* row = args.out + 8 * i;
  row[0] = static_cast<int>(__ballot_sync(0xffffffff, i % 3 == 0));
  row[1] = __shfl_sync(0xffffffff, i, 5);
  row[2] = __shfl_up_sync(0xffffffff, i, 2u, 16);
  row[3] = __shfl_xor_sync(0xffffffff, i, 1);
  row[4] = __syncthreads_count(i % 2);
  row[5] = __any_sync(0xffffffff, i == 40) * 2 + __all_sync(0xffffffff, i < 32);
  if (i % 32 < 16)
    row[6] = __shfl_down_sync(0xffff, i, 1u, 16);
  else
    row[6] = __shfl_sync(0xffff0000, i, 31);
  row[7] = __popc(static_cast<unsigned>(i)) + __clz(i) * 100;
}

// By args.how: what a kernel must not do.
__global__ void misbehave(Lanes args) {
  __shared__ int at_first[64];
  const int i = threadIdx.x;
  if (args.how == 0 && i != 3) __syncthreads();
  if (args.how == 1 && i < 16) __shfl_sync(0xffffffff, i, 0);
  if (args.how == 2) args.out[1 << 28] = i;
  if (args.how == 3 && i == 7) __trap();
  if (args.how == 4) args.out[0] = i / args.zero;
  if (args.how == 5) {  // the barrier between is missing
    at_first[i] = i;
    args.out[i] = at_first[63 - i];
  }
  if (args.how == 6) {
    int* const part = dynamic_shared<int>();
    part[64 + i] = i;
  }
#ifdef CROSSDOCK_CUDA_ON_HOST
  if (args.how == 10) args.out[i] = static_cast<int>(reinterpret_cast<unsigned long>(__builtin_frame_address(0)) % 16);
#endif
  if (args.how == 8) *reinterpret_cast<int*>(reinterpret_cast<char*>(args.out) + 2 * i) = i;
  if (args.how == 9) at_first[args.zero + 1 + i] = i;
  if (args.how == 7) {  // a lock in a loop: what CUDA's threads survive, fibers must
    while (atomicCAS(args.out, 0, 1) != 0) {
    }
    args.out[1] += 1;
    __syncwarp(1u << (i % 32));
    atomicExch(args.out, 0);
  }
}

}  // namespace crossdock::cuda
