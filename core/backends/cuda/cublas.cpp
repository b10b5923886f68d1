#include "cublas.h"

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "crossdock/runtime/error.h"
#include "library_paths.h"

namespace crossdock::cuda {

namespace {

// CUDA's numbers.
constexpr int kDone = 0, kNotSupported = 15;
constexpr int kExactSums = 16;  // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
constexpr int kComputeFloat = 68, kComputeDouble = 70, kDefaultAlgorithm = -1;

int type_number(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::float16:
      return 2;
    case Dtype::bfloat16:
      return 14;
    case Dtype::float32:
      return 0;
    case Dtype::float64:
      return 1;
    case Dtype::complex64:
      return 4;
    default:
      return 5;
  }
}

}  // namespace

// A handle has one stream at a time: it is set and used under the lock. Never destroyed: at the end of a process the
// driver may be gone before.
struct Cublas::OnDevice {
  std::mutex mutex;
  bool tried = false;
  Handle handle = nullptr;
};

const Cublas* Cublas::get() {
  static const std::optional<Cublas> once = open();
  return once ? &*once : nullptr;
}

std::optional<Cublas> Cublas::open() {
  const OpenedLibrary opened = open_library("cublas");
  if (!opened.library) return std::nullopt;
  Cublas cublas;
  const auto find = [&](auto& function, const char* name) {
    function = opened.library.function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    return function != nullptr;
  };
  Functions& functions = cublas.functions_;
  const bool complete = find(functions.create, "cublasCreate_v2") && find(functions.set_stream, "cublasSetStream_v2") &&
                        find(functions.set_math_mode, "cublasSetMathMode") &&
                        find(functions.gemm, "cublasGemmStridedBatchedEx");
  return complete ? std::optional(cublas) : std::nullopt;
}

Cublas::OnDevice& Cublas::on(CudaDevice& device) const {
  static std::mutex mutex;
  static auto* const devices = new std::map<int, OnDevice>;
  const std::lock_guard lock(mutex);
  return (*devices)[device.index()];
}

bool Cublas::multiply(CudaDevice& device, CudaStream& stream, Dtype dtype, const CublasProduct& product) const {
  OnDevice& own = on(device);
  const Current current(device);
  const std::lock_guard lock(own.mutex);
  if (!own.tried) {
    own.tried = true;
    if (functions_.create(&own.handle) != kDone) own.handle = nullptr;
    if (own.handle) functions_.set_math_mode(own.handle, kExactSums);
  }
  if (!own.handle || functions_.set_stream(own.handle, stream.handle()) != kDone) return false;
  const bool twice = dtype == Dtype::float64 || dtype == Dtype::complex128;
  const float ones[2] = {1, 0}, zeros[2] = {0, 0};
  const double double_ones[2] = {1, 0}, double_zeros[2] = {0, 0};
  const void* const alpha = twice ? static_cast<const void*>(double_ones) : ones;
  const void* const beta = twice ? static_cast<const void*>(double_zeros) : zeros;
  const int type = type_number(dtype);
  const auto& [m, n, k, batch, a, b, c] = product;
  const Status status =
      functions_.gemm(own.handle, a.transposed, b.transposed, m, n, k, alpha, a.data, type, a.leading, a.step, b.data,
                      type, b.leading, b.step, beta, const_cast<void*>(c.data), type, c.leading, c.step, batch,
                      twice ? kComputeDouble : kComputeFloat, kDefaultAlgorithm);
  if (status == kDone) return true;
  if (status == kNotSupported) return false;
  throw DeviceError(device.spec() + ": cuBLAS cannot multiply matrices of " + std::string(name(dtype)) + " (status " +
                    std::to_string(status) + ")");
}

}  // namespace crossdock::cuda
