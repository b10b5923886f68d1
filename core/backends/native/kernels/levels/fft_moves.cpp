// What surrounds the steps of Fourier transforms: into columns and out of them, and products.
#include "fourier.h"

namespace crossdock::native {
namespace {

template <class T>
void split(const std::byte* from, std::int64_t pitch, T* column, std::int64_t count, int lanes) {
  constexpr int kLanes = kFourierLanes<T>;
  for (std::int64_t i = 0; i < count; ++i, from += pitch, column += 2 * kLanes) {
    const T* row = input<T>(from);
    if (lanes == kLanes) {
#pragma GCC unroll 1
      for (int at = 0; at < kLanes; at += kVectorLanes<T>) store_pair(column + at, kLanes, load_complex(row + 2 * at));
      continue;
    }
    for (int at = 0; at < 2 * kLanes; ++at) column[at] = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const Single<T> value = load_single(row + 2 * lane);
      column[lane] = value.re;
      column[lane + kLanes] = value.im;
    }
  }
}

template <class T>
void join(const T* column, std::byte* to, std::int64_t pitch, std::int64_t count, int lanes, T scale) {
  constexpr int kLanes = kFourierLanes<T>;
  for (std::int64_t i = 0; i < count; ++i, to += pitch, column += 2 * kLanes) {
    T* row = output<T>(to);
    if (lanes == kLanes) {
#pragma GCC unroll 1
      for (int at = 0; at < kLanes; at += kVectorLanes<T>) {
        const Pair<T> value = load_pair(column + at, kLanes);
        store_complex(row + 2 * at, {value.re * scale, value.im * scale});
      }
      continue;
    }
    for (int lane = 0; lane < lanes; ++lane)
      store_single(row + 2 * lane, {column[lane] * scale, column[lane + kLanes] * scale});
  }
}

template <class T>
void turn(const T* x, const T* twiddles, std::ptrdiff_t im, T* to, std::int64_t pitch, std::int64_t groups) {
  constexpr int kLanes = kFourierLanes<T>, n = kVectorLanes<T>;
  for (std::int64_t group = 0; group < groups; ++group, to += pitch) {
#pragma GCC unroll 1
    for (int block = 0; block < kLanes; block += n) {
#pragma GCC unroll 1
      for (int column = 0; column < kLanes; column += n) {
        const std::int64_t first = (group * kLanes + block) * 2 * kLanes + column;
        Vector<T> re[n], imaginary[n];
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i) {
          const std::int64_t at = first + i * 2 * kLanes;
          const Pair<T> w = load_pair(twiddles + at, kLanes);
          const Pair<T> value = load_pair(x + at, im) * w;
          re[i] = value.re;
          imaginary[i] = value.im;
        }
        transpose_lanes<T>(re);
        transpose_lanes<T>(imaginary);
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i)
          store_pair(to + (column + i) * 2 * kLanes + block, im, Pair<T>{re[i], imaginary[i]});
      }
    }
  }
}

template <class T>
void rotate(T* column, std::ptrdiff_t im, const T* factors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, column += 2 * kFourierLanes<T>) {
    for (int at = 0; at < kFourierLanes<T>; at += kVectorLanes<T>)
      store_pair(column + at, im, load_pair(column + at, im) * Single<T>{factors[2 * i], factors[2 * i + 1]});
  }
}

template <class T>
void multiply(const T* a, const T* b, T* out, std::int64_t count, bool conjugated) {
  const T sign = conjugated ? static_cast<T>(-1) : static_cast<T>(1);
  std::int64_t i = 0;
  for (; i + kVectorLanes<T> <= count; i += kVectorLanes<T>) {
    const Pair<T> product = load_complex(a + 2 * i) * load_complex(b + 2 * i);
    store_complex(out + 2 * i, {product.re, product.im * sign});
  }
  for (; i < count; ++i) {
    const Single<T> product = load_single(a + 2 * i) * load_single(b + 2 * i);
    store_single(out + 2 * i, {product.re, product.im * sign});
  }
}

template <class T>
void set(FourierLoops<T>& loops) {
  loops.split = &split<T>;
  loops.join = &join<T>;
  loops.turn = &turn<T>;
  loops.rotate = &rotate<T>;
  loops.multiply = &multiply<T>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_fft_moves(LoopTable& table) {
  set(table.fourier32);
  set(table.fourier64);
}

}  // namespace crossdock::native
