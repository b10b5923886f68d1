// Cublas: the matrix product of NVIDIA's cuBLAS, opened at run time; nothing needs it.
#pragma once

#include <cstdint>
#include <optional>

#include "crossdock/runtime/dtype.h"
#include "device.h"

namespace crossdock::cuda {

// Column after column, as cuBLAS takes them: `leading` elements from one column to the next.
struct CublasMatrix {
  const void* data;
  bool transposed;
  int leading;
  std::int64_t step;  // elements to the next matrix of the batch
};
struct CublasProduct {
  int m, n, k, batch;  // c[m, n] = a[m, k] @ b[k, n]
  CublasMatrix a, b, c;
};

class Cublas {
 public:
  // On the first call opens the library; null when there is none.
  static const Cublas* get();
  static bool takes(Dtype dtype) noexcept { return is_floating(dtype); }

  // Enqueues the product on the stream, summed up in float32 for 16 and 32 bits, never in less. False when cuBLAS does
  // not do it; DeviceError when it fails.
  bool multiply(CudaDevice& device, CudaStream& stream, Dtype dtype, const CublasProduct& product) const;

 private:
  using Handle = struct HandleOfCublas*;
  using Status = int;
  struct Functions {
    Status (*create)(Handle* handle);
    Status (*set_stream)(Handle handle, StreamHandle stream);
    Status (*set_math_mode)(Handle handle, int mode);
    Status (*gemm)(Handle handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int a_type,
                   int lda, long long a_step, const void* b, int b_type, int ldb, long long b_step, const void* beta,
                   void* c, int c_type, int ldc, long long c_step, int batch, int compute_type, int algorithm);
  };
  struct OnDevice;

  static std::optional<Cublas> open();
  OnDevice& on(CudaDevice& device) const;

  Functions functions_{};
};

}  // namespace crossdock::cuda
