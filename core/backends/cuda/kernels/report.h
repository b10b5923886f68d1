// report: a kernel tells the host what it has found wrong.
#pragma once

#include "kernels/args.h"
#include "kernels/device.h"

namespace crossdock::cuda {

// The first failure of a stream is kept until the host has read it, which can be while later kernels run.
// `op`: crossdock::Op.
inline void report(ErrorRecord* errors, int op, Failure cause, std::int64_t number0, std::int64_t number1,
                   std::int64_t number2, std::int64_t number3, int ndim = 0) {
  if (atomicCAS(&errors->taken, 0, 1) != 0) return;
  errors->op = op;
  errors->cause = static_cast<int>(cause);
  errors->ndim = ndim;
  errors->numbers[0] = number0;
  errors->numbers[1] = number1;
  errors->numbers[2] = number2;
  errors->numbers[3] = number3;
  __threadfence_system();
  *static_cast<volatile int*>(&errors->whole) = 1;
}

}  // namespace crossdock::cuda
