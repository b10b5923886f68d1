// The factors that Fourier transforms multiply by.
#pragma once

#include "kernels/device.h"
#include "kernels/element.h"
#include "kernels/fft_args.h"
#include "kernels/unit_root.h"

namespace crossdock::cuda {

// exp(-pi i k^2 / n); k^2 is counted modulo 2 n.
inline functors::Complex<double> chirp(std::int64_t k, std::int64_t n) {
  const std::uint64_t square = static_cast<std::uint64_t>(k) * static_cast<std::uint64_t>(k);
  return unit_root(static_cast<std::int64_t>(square % static_cast<std::uint64_t>(2 * n)), 2 * n);
}

inline functors::Complex<double> table_entry(const FftTableArgs& args, std::int64_t i) {
  switch (args.kind) {
    case FftTable::roots:
      return unit_root(i, args.n);
    case FftTable::chirp:
      return chirp(i, args.n);
    case FftTable::filter:
      break;
  }
  if (i >= args.n && args.count - i >= args.n) return {};
  return chirp(i < args.n ? i : args.count - i, args.n);
}

template <class T>
__global__ void fft_table(const FftTableArgs args) {
  for (std::int64_t i = grid_thread(); i < args.count; i += grid_threads()) {
    functors::Complex<double> entry = table_entry(args, i);
    if (args.conjugate) entry.im = -entry.im;
    store<functors::Complex<T>>(static_cast<functors::Complex<T>*>(args.out) + i,
                                {static_cast<T>(entry.re), static_cast<T>(entry.im)});
  }
}

}  // namespace crossdock::cuda
