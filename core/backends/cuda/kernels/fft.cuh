// A pass of Fourier transforms, self-sorting (Stockham): each block takes some columns into shared memory, transforms
// them there by one small radix after the other, and writes them where the next pass finds them in order.
//
// The inverse is the forward transform of numbers whose real and imaginary parts have changed places.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/anywhere.h"
#include "kernels/butterfly.h"
#include "kernels/device.h"
#include "kernels/fft_args.h"
#include "kernels/locate.h"
#include "kernels/unit_root.h"

namespace crossdock::cuda {

template <class T>
CROSSDOCK_HD Complex<T> swapped(Complex<T> x, bool swap) {
  return swap ? Complex<T>{x.im, x.re} : x;
}

template <class T>
inline Complex<T> load_complex(const void* from, std::int64_t i) {
  return load<Complex<T>>(static_cast<const Complex<T>*>(from) + i);
}

// Element `i` of a row.
template <class T>
inline Complex<T> load_side(const FftSide& side, const unsigned char* row, std::int64_t i) {
  if (i >= side.count) return {};
  Complex<T> x{};
  if (side.form == FftForm::real) {
    x.re = load_anywhere<T>(row + i * side.step);
  } else {
    const bool mirrored = side.form == FftForm::hermitian && 2 * i > side.count;
    x = load_anywhere<Complex<T>>(row + (mirrored ? side.count - i : i) * side.step);
    if (mirrored) x.im = -x.im;
  }
  return side.factors ? x * load_complex<T>(side.factors, i) : x;
}

template <class T>
inline void store_side(const FftSide& side, unsigned char* row, std::int64_t i, Complex<T> x, T scale) {
  if (i >= side.count) return;
  if (side.factors) x = x * load_complex<T>(side.factors, i);
  x = scale * x;
  if (side.form == FftForm::real)
    store_anywhere<T>(row + i * side.step, x.re);
  else
    store_anywhere<Complex<T>>(row + i * side.step, x);
}

// All butterflies of one radix: `done` is the product of the radices before, of which `from` holds the transforms.
template <int n, class T>
inline void transform(const FftArgs& args, int done, const Complex<T>* from, Complex<T>* to) {
  const int columns = args.columns, count = args.radix / n, turn = count / done, pitch = args.pitch;
  for (int i = static_cast<int>(threadIdx.x); i < count * columns; i += static_cast<int>(blockDim.x)) {
    const int which = i / columns, column = i - which * columns, group = which / done, phase = which - group * done;
    Complex<T> x[n];
    CROSSDOCK_UNROLL
    for (int k = 0; k < n; ++k) x[k] = from[(which + k * count) * pitch + column];
    if (phase != 0) {
      CROSSDOCK_UNROLL
      for (int k = 1; k < n; ++k) x[k] = x[k] * load_complex<T>(args.roots, phase * k * turn);
    }
    butterfly(x);
    CROSSDOCK_UNROLL
    for (int k = 0; k < n; ++k) to[(group * done * n + phase + k * done) * pitch + column] = x[k];
  }
}

template <class T>
inline void transform(int radix, const FftArgs& args, int done, const Complex<T>* from, Complex<T>* to) {
  switch (radix) {
    case 2:
      return transform<2>(args, done, from, to);
    case 3:
      return transform<3>(args, done, from, to);
    case 4:
      return transform<4>(args, done, from, to);
    case 5:
      return transform<5>(args, done, from, to);
    case 7:
      return transform<7>(args, done, from, to);
    default:
      return transform<8>(args, done, from, to);
  }
}

// A block's columns: which row each is of, and which of the row's columns; -1: none.
struct FftColumns {
  std::int64_t in[kFftMostColumns], out[kFftMostColumns], numbers[kFftMostColumns];
};

inline void find_columns(const FftArgs& args, FftColumns& columns) {
  const std::int64_t in_row = args.length / args.radix;
  for (int i = static_cast<int>(threadIdx.x); i < args.columns; i += static_cast<int>(blockDim.x)) {
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * args.columns + i, row = column / in_row;
    columns.numbers[i] = row < args.rows ? column - row * in_row : -1;
    std::int64_t at[2];
    locate(args.first_row + row, args.ndim, args.shape, args.strides, at);
    columns.in[i] = args.in.row_step != 0 ? row * args.in.row_step : at[0];
    columns.out[i] = args.out.row_step != 0 ? row * args.out.row_step : at[1];
  }
}

// Calls visit(k, column) for all elements of a block's columns.
template <class Visit>
inline void for_elements(const FftArgs& args, bool down, Visit&& visit) {
  const int width = down ? args.radix : args.columns;
  for (int i = static_cast<int>(threadIdx.x); i < args.radix * args.columns; i += static_cast<int>(blockDim.x)) {
    const int outer = i / width, inner = i - outer * width;
    down ? visit(inner, outer) : visit(outer, inner);
  }
}

template <class T>
__global__ void fft(const FftArgs args) {
  __shared__ FftColumns columns;
  __shared__ Complex<T> first[kFftNbytes / sizeof(Complex<T>)];
  __shared__ Complex<T> second[kFftNbytes / sizeof(Complex<T>)];
  Complex<T>*from = first, *to = second;
  find_columns(args, columns);
  __syncthreads();
  for_elements(args, args.in.down, [&](int k, int column) {
    const std::int64_t number = columns.numbers[column];
    if (number < 0) return;
    Complex<T> x = load_side<T>(args.in, args.in.data + columns.in[column], number + k * (args.length / args.radix));
    x = swapped(x, args.inverse);
    if (args.before > 1) {
      const Complex<double> root = unit_root(number % args.before * k, args.before * args.radix);
      x = x * Complex<T>{static_cast<T>(root.re), static_cast<T>(root.im)};
    }
    from[k * args.pitch + column] = x;
  });
  __syncthreads();
  int done = 1;
  for (int i = 0; i < args.nfactors; ++i) {
    transform<T>(args.factors[i], args, done, from, to);
    __syncthreads();
    done *= args.factors[i];
    Complex<T>* const next = from;
    from = to;
    to = next;
  }
  for_elements(args, args.out.down, [&](int k, int column) {
    const std::int64_t number = columns.numbers[column];
    if (number < 0) return;
    const std::int64_t phase = number % args.before;
    const std::int64_t place = (number - phase) * args.radix + phase + k * args.before;
    store_side<T>(args.out, args.out.data + columns.out[column], place,
                  swapped(from[k * args.pitch + column], args.inverse), static_cast<T>(args.scale));
  });
}

}  // namespace crossdock::cuda
