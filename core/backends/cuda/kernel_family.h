// KernelFamily: the instances of the templates in one kernel header, numbered densely by the family itself.
#pragma once

#include <string>
#include <vector>

namespace crossdock::cuda {

// A kernel: a template instance, named by an expression within namespace crossdock::cuda.
struct KernelName {
  std::string header;      // "elementwise.cuh", in kernels/
  std::string expression;  // "binary<functors::Add, float, float>"
};

// Static, one for each header; registers itself for the catalogue.
class KernelFamily {
 public:
  static constexpr int kMost = 64;  // families
  // `expression(number)`: of each instance in [0, size); "" where there is none.
  KernelFamily(const char* header, int size, std::string (*expression)(int number));
  KernelFamily(const KernelFamily&) = delete;
  KernelFamily& operator=(const KernelFamily&) = delete;

  int id() const noexcept { return id_; }  // in [0, kMost), of this family alone
  const char* header() const noexcept { return header_; }
  int size() const noexcept { return size_; }
  std::string expression(int number) const { return expression_(number); }

 private:
  int id_;
  const char* header_;
  int size_;
  std::string (*expression_)(int);
};

// Of all families, in the order they were made.
std::vector<KernelName> all_kernel_names();

}  // namespace crossdock::cuda
