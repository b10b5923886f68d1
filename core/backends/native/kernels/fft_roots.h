// UnitRoots: exp(-2 pi i k / n), as exact as a double holds it.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace crossdock::native {

class UnitRoots {
 public:
  explicit UnitRoots(std::int64_t n);
  // For 0 <= k < n.
  std::complex<double> operator()(std::int64_t k) const noexcept;

 private:
  std::int64_t n_;
  int shift_;
  std::vector<std::complex<long double>> coarse_, fine_;  // k = (high << shift) + low: the root is a product
};

}  // namespace crossdock::native
