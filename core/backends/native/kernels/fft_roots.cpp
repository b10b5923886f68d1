#include "fft_roots.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace crossdock::native {

namespace {

// The angle is brought into the first octant in integers, so that it is exact where sine and cosine are steep.
std::complex<long double> root(std::int64_t k, std::int64_t n) noexcept {
  std::int64_t a = 8 * k;  // in units of an eighth of a turn, times n
  const std::int64_t octant = a / n;
  a -= octant * n;
  if (octant % 2 != 0) a = n - a;
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(a) / n;
  long double c = std::cos(angle), s = std::sin(angle);
  if (octant % 4 == 1 || octant % 4 == 2) std::swap(c, s);
  if (octant >= 2 && octant < 6) c = -c;
  if (octant >= 4) s = -s;
  return {c, -s};
}

}  // namespace

UnitRoots::UnitRoots(std::int64_t n) : n_(n), shift_(0) {
  while ((std::int64_t{1} << (2 * shift_)) < n) ++shift_;
  const std::int64_t low = std::int64_t{1} << shift_;
  for (std::int64_t k = 0; k < std::min(low, n); ++k) fine_.push_back(root(k, n));
  for (std::int64_t k = 0; k < n; k += low) coarse_.push_back(root(k, n));
}

std::complex<double> UnitRoots::operator()(std::int64_t k) const noexcept {
  const auto a = coarse_[static_cast<std::size_t>(k >> shift_)];
  const auto b = fine_[static_cast<std::size_t>(k & ((std::int64_t{1} << shift_) - 1))];
  return {static_cast<double>(a.real() * b.real() - a.imag() * b.imag()),
          static_cast<double>(a.real() * b.imag() + a.imag() * b.real())};
}

}  // namespace crossdock::native
