#include "failure_text.h"

#include <algorithm>

#include "crossdock/runtime/dims.h"
#include "crossdock/runtime/op.h"

namespace crossdock::cuda {
namespace {

using Cause = AsyncDeviceError::Cause;

std::string index_reason(const std::int64_t (&numbers)[4]) {
  const std::int64_t index = numbers[0];
  const std::string text = numbers[3] != 0 ? std::to_string(static_cast<std::uint64_t>(index)) : std::to_string(index);
  return "index " + text + " is out of bounds for axis " + std::to_string(numbers[1]) + " with size " +
         std::to_string(numbers[2]);
}

std::string matrix(const ErrorRecord& record) {
  constexpr int kKept = 3;  // dimensions
  if (record.ndim == 0) return "the matrix";
  const int kept = std::min(record.ndim, kKept);
  const std::string place = to_string(Dims(record.numbers + 1, kept));
  if (record.ndim == kept) return "matrix " + place + " of the stack";
  return "matrix " + place + ", by its last dimensions, of the stack";
}

std::string linalg_reason(const ErrorRecord& record, Op op) {
  switch (op) {
    case Op::cholesky:
      return matrix(record) + " is not positive definite (the minor of its first " + std::to_string(record.numbers[0]) +
             " rows and columns is not positive)";
    case Op::solve:
    case Op::inv:
      return matrix(record) + " is singular";
    case Op::eigh:
    case Op::eigvalsh:
      return matrix(record) + ": the eigenvalues do not converge, as they do not with NaN";
    default:
      return matrix(record) + ": the singular values do not converge, as they do not with NaN";
  }
}

}  // namespace

AsyncDeviceError failure_of(const ErrorRecord& record, const std::string& device, bool earlier) {
  const auto op = static_cast<Op>(record.op);
  const std::string word(name(op));
  std::string reason;
  Cause cause = Cause::index;
  switch (static_cast<Failure>(record.cause)) {
    case Failure::index:
      reason = index_reason(record.numbers);
      break;
    case Failure::offset:
      reason = "an offset leads outside of the array; what was to write it has failed before";
      break;
    case Failure::linalg:
      reason = linalg_reason(record, op);
      cause = Cause::linalg;
      break;
  }
  const std::string message =
      earlier ? "an earlier operation failed on " + device + ": " + word + ": " + reason +
                    " (to find its call, call the device's synchronize() after each one: it reports a failure at once)"
              : word + " failed on " + device + ": " + reason;
  return {message, device, word, reason, cause};
}

}  // namespace crossdock::cuda
