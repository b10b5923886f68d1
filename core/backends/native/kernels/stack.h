// Stack: the matrices of a linear algebra launch, one group of operands per batch index.
#pragma once

#include <mutex>

#include "lapack.h"
#include "matrix.h"

namespace crossdock::native {

// The operands at one batch index.
class Group {
 public:
  Group(const Launch& launch, const Odometer& at, int batch_ndim) noexcept
      : launch_(launch), at_(at), batch_ndim_(batch_ndim) {}
  Matrix matrix(int operand, std::int64_t rows, std::int64_t columns) const noexcept {
    const Operand& o = launch_.operands[static_cast<std::size_t>(operand)];
    return {at_.pointers()[operand], rows, columns, stride(o, batch_ndim_), stride(o, batch_ndim_ + 1)};
  }
  // As a matrix of one column.
  Matrix vector(int operand, std::int64_t size) const noexcept {
    const Operand& o = launch_.operands[static_cast<std::size_t>(operand)];
    return {at_.pointers()[operand], size, 1, stride(o, batch_ndim_), 0};
  }

 private:
  const Launch& launch_;
  const Odometer& at_;
  int batch_ndim_;
};

class Stack {
 public:
  explicit Stack(const Launch& launch) noexcept
      : launch_(launch),
        batch_ndim_(launch.shape.size() - 2),
        batch_(launch, 0, batch_ndim_, 0, launch.noperands, true) {}

  // Calls worker(group) for each matrix, with one `make_worker()` per thread; `work`: operations for one matrix. What
  // the workers return is LAPACK's info: LinAlgError of the first matrix, in C order, where it is not 0, when all are
  // done.
  template <class MakeWorker>
  void for_each(double work, MakeWorker&& make_worker) const {
    constexpr double kTask = 64 * 1024;  // operations worth a thread's while
    parallel_for(batch_.size, 1 + static_cast<std::int64_t>(kTask / (work + 1)),
                 [&](std::int64_t begin, std::int64_t end) {
                   auto worker = make_worker();
                   for (std::int64_t index = begin; index < end; ++index) {
                     const Odometer at(batch_, index);
                     if (const int info = worker(Group(launch_, at, batch_ndim_))) note(index, info);
                   }
                 });
    if (failed_ >= 0) fail();
  }

 private:
  void note(std::int64_t index, int info) const {
    const std::lock_guard lock(mutex_);
    if (failed_ >= 0 && failed_ < index) return;
    failed_ = index;
    info_ = info;
  }
  [[noreturn]] void fail() const;

  const Launch& launch_;
  int batch_ndim_;
  Nest batch_;
  mutable std::mutex mutex_;
  mutable std::int64_t failed_ = -1;
  mutable int info_ = 0;
};

}  // namespace crossdock::native
