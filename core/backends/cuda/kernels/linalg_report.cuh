// Tells the host which matrix of a stack has failed first.
#pragma once

#include "kernels/linalg_args.h"
#include "kernels/report.h"

namespace crossdock::cuda {

__global__ void linalg_report(const LinalgReportArgs args) {
  if (*args.failed == ~0ull) return;
  auto rest = static_cast<std::int64_t>(*args.failed >> 32);
  const int kept = args.ndim < 3 ? args.ndim : 3;
  std::int64_t place[3] = {};
  for (int dim = kept - 1; dim >= 0; --dim) {
    place[dim] = rest % args.shape[dim];
    rest /= args.shape[dim];
  }
  report(args.errors, args.op, Failure::linalg, static_cast<std::int64_t>(*args.failed & 0xffffffff), place[0],
         place[1], place[2], args.ndim);
}

}  // namespace crossdock::cuda
