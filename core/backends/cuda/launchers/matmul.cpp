#include "gemm.h"
#include "launchers.h"

namespace crossdock::cuda {

void register_matmul(KernelTable& table) {
  for (int number = static_cast<int>(Dtype::int8); number <= static_cast<int>(Dtype::complex128); ++number) {
    table.set(Op::matmul, static_cast<Dtype>(number), gemm);
  }
}

}  // namespace crossdock::cuda
