// Stack: the matrices of a linear algebra launch, and the memory that their kernel works in.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "../kernels/linalg_args.h"
#include "../launcher.h"

namespace crossdock::cuda {

class Stack {
 public:
  // `vectors`: bit i says that operand i has one dimension of its own, `scalars`: none; the others are matrices.
  explicit Stack(const Launch& launch, unsigned vectors = 0, unsigned scalars = 0);

  int rows() const noexcept { return args_.rows; }
  int columns() const noexcept { return args_.columns; }
  int least() const noexcept { return rows() < columns() ? rows() : columns(); }

  // Enqueues the family's instance for the launch's dtype, `first` being float32's, with `work` bytes for each matrix.
  void run(KernelFamily& family, int first, std::int64_t work) const;

  // Bytes of a matrix of `itemsize` in a kernel's memory.
  static std::int64_t room(std::int64_t rows, std::int64_t columns, std::int64_t itemsize) noexcept {
    return (rows * columns * itemsize + 15) / 16 * 16;
  }

 private:
  void report(const Launcher& launcher, const unsigned long long* failed) const;

  const Launch& launch_;
  int ndim_;
  LinalgArgs args_;
};

// float32, float64, complex64, complex128 are instances 0 to 3.
inline constexpr int kFields = 4;
const char* type_of_field(int number) noexcept;

}  // namespace crossdock::cuda
