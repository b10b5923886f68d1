#include "stack.h"

#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock::native {

namespace {

std::string reason(Op op, int info) {
  switch (op) {
    case Op::cholesky:
      return " is not positive definite (the minor of its first " + std::to_string(info) +
             " rows and columns is not positive)";
    case Op::solve:
    case Op::inv:
      return " is singular";
    case Op::eigh:
    case Op::eigvalsh:
      return ": the eigenvalues do not converge, as they do not with NaN";
    default:
      return ": the singular values do not converge, as they do not with NaN";
  }
}

}  // namespace

void Stack::fail() const {
  std::string which = "the matrix";
  if (batch_ndim_ > 0) {
    Dims place(launch_.shape.data(), batch_ndim_);
    std::int64_t index = failed_;
    for (int dim = batch_ndim_ - 1; dim >= 0; --dim) {
      const std::int64_t extent = place[dim];
      place[dim] = index % extent;
      index /= extent;
    }
    which = "matrix " + to_string(place) + " of the stack";
  }
  throw LinAlgError(std::string(name(launch_.op)) + ": " + which + reason(launch_.op, info_));
}

}  // namespace crossdock::native
