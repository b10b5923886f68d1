// unit_root: powers of roots of unity, as good as double precision has them.
#pragma once

#include "crossdock/functors/complex.h"
#include "kernels/device.h"

namespace crossdock::cuda {

// exp(-2 pi i k / n) for 0 <= k < n < 2^58. What sine and cosine are asked for is at most pi / 4, found in integers.
inline functors::Complex<double> unit_root(std::int64_t k, std::int64_t n) {
  const bool below = 2 * k > n;  // the real axis, mirrored there
  if (below) k = n - k;
  std::int64_t part = 4 * k, whole = 4 * n;  // the angle as a part of the whole
  const bool left = 4 * part > whole;
  if (left) part = whole / 2 - part;
  const bool steep = 8 * part > whole;
  if (steep) part = whole / 4 - part;
  const double halves = static_cast<double>(2 * part) / static_cast<double>(whole);
  double sine, cosine;
#ifdef __CUDACC_RTC__
  sincospi(halves, &sine, &cosine);
#else
  sine = sin(3.14159265358979323846 * halves);
  cosine = cos(3.14159265358979323846 * halves);
#endif
  const double re = steep ? sine : cosine, im = steep ? cosine : sine;
  return {left ? -re : re, below ? im : -im};
}

}  // namespace crossdock::cuda
