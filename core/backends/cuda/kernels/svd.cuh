// Singular value decompositions by one-sided Jacobi rotations (Hestenes), one block for each matrix. A wide matrix is
// taken as its adjoint, so that columns are the shorter side.
#pragma once

#define CROSSDOCK_FUSED_PRODUCTS

#include "kernels/householder.h"
#include "kernels/jacobi.h"

namespace crossdock::cuda {

// Makes two columns of `b` orthogonal by a rotation, which `v` takes part in; a warp does it. False when they are, or
// when one is nothing but rounding: the largest element is 1 and more.
template <class T>
inline bool part_columns(const Columns<T>& b, const Columns<T>& v, int vectors, Pair pair, Real<T> tolerance) {
  const int lane = thread() % kWarpSize;
  Real<T> p_square = 0, q_square = 0;
  T product{};
  for (int i = lane; i < b.rows; i += kWarpSize) {
    const T p = b(i, pair.p), q = b(i, pair.q);
    p_square += square_of(p);
    q_square += square_of(q);
    product = product + conjugate(p) * q;
  }
  p_square = sum_warp(p_square);
  q_square = sum_warp(q_square);
  product = sum_warp(product);
  constexpr Real<T> kNothing = Limits<Real<T>>::epsilon / 16;
  if (p_square < kNothing * kNothing || q_square < kNothing * kNothing) return false;
  const Real<T> size = root_of(square_of(product));
  if (!(size > tolerance * root_of(p_square) * root_of(q_square))) return false;
  const Rotation<T> rotation = rotation_of(p_square, q_square, product, size);
  for (int i = lane; i < b.rows; i += kWarpSize) rotate(rotation, b(i, pair.p), b(i, pair.q));
  for (int i = lane; i < vectors; i += kWarpSize) rotate(rotation, v(i, pair.p), v(i, pair.q));
  return true;
}

// The columns of `b` become orthogonal; false when they do not.
template <class T>
inline bool orthogonalize(const Columns<T>& b, int columns, const Columns<T>& v, int vectors) {
  const int even = columns + columns % 2, warps = threads() / kWarpSize;
  Real<T> tolerance = Limits<Real<T>>::epsilon * root_of(static_cast<Real<T>>(b.rows < 16 ? 16 : b.rows));
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    if (sweep == kMostSweeps / 3) tolerance *= 16;  // rounding alone keeps them from being better
    bool rotates = false;
    for (int step = 0; step < even - 1; ++step) {
      for (int i = thread() / kWarpSize; i < even / 2; i += warps) {
        const Pair pair = pair_of(step, i, even);
        if (pair.q < columns) rotates |= part_columns(b, v, vectors, pair, tolerance);
      }
      __syncthreads();
    }
    if (!__syncthreads_or(rotates)) return true;
  }
  return false;
}

// What the block works with; `tall` and `narrow` are the longer and the shorter side.
template <class T>
struct SvdRoom {
  SvdRoom(const LinalgArgs& args, bool with_vectors) {
    Work work(args);
    wide = args.rows < args.columns;
    tall = wide ? args.columns : args.rows;
    narrow = wide ? args.rows : args.columns;
    vectors = with_vectors;
    width = args.choice != 0 ? tall : narrow;
    b = work.matrix<T>(tall, narrow);
    v = work.matrix<T>(narrow, vectors ? narrow : 0);
    u = work.matrix<T>(tall, vectors ? width : 0);
    taus = work.take<T>(narrow);
    values = work.take<Real<T>>(narrow);
    places = work.take<int>(narrow);
  }
  bool wide, vectors;
  int tall, narrow, width;
  Columns<T> b, v, u;
  T* taus;
  Real<T>* values;
  int* places;
};

template <class T>
inline Real<T> read_tall(const Group& group, const SvdRoom<T>& room) {
  Real<T> largest = 0;
  Group::for_all(room.tall, room.narrow, [&](int i, int j) {
    const T value = room.wide ? conjugate(group.read<T>(0, j, i)) : group.read<T>(0, i, j);
    room.b(i, j) = value;
    largest = larger(largest_part(value), largest);
  });
  return largest_of_block(largest);
}

// The lengths of the columns, and where each is in order; returns how many are no zeros but for rounding.
template <class T>
inline int measure(const SvdRoom<T>& room) {
  const int lane = thread() % kWarpSize, warps = threads() / kWarpSize;
  for (int j = thread() / kWarpSize; j < room.narrow; j += warps) {
    Real<T> sum = 0;
    for (int i = lane; i < room.tall; i += kWarpSize) sum += square_of(room.b(i, j));
    sum = sum_warp(sum);
    if (lane == 0) room.values[j] = root_of(sum);
  }
  __syncthreads();
  sort_places(room.values, room.narrow, true, room.places);
  Real<T> largest = 0;
  for (int j = 0; j < room.narrow; ++j) largest = larger(room.values[j], largest);
  int count = 0;
  const Real<T> least = largest * Limits<Real<T>>::epsilon * static_cast<Real<T>>(room.tall);
  for (int j = 0; j < room.narrow; ++j) count += room.values[j] > least;
  return count;
}

// Left vectors: columns divided by their lengths; in the place of those without one, and beyond, what makes a unitary
// matrix of them.
template <class T>
inline void make_left(const SvdRoom<T>& room, int count) {
  Group::for_all(room.tall, room.narrow, [&](int i, int j) {
    const int place = room.places[j];
    if (place >= count) return;
    const T value = room.b(i, j);
    room.u(i, place) = Make<T>::of(real_of(value) / room.values[j], imag_of(value) / room.values[j]);
  });
  __syncthreads();
  if (count == room.width) return;
  Group::for_all(room.tall, count, [&](int i, int j) { room.b(i, j) = room.u(i, j); });
  __syncthreads();
  factor_qr(room.b, count, count, room.taus);
  make_unitary(room.b, count, room.taus, room.u, count, room.width);
}

// Operands: a, (u,) s, (vh).
template <class T>
inline void write_svd(const Group& group, const SvdRoom<T>& room, Real<T> scale) {
  const int count = measure(room);
  for (int j = thread(); j < room.narrow; j += threads())
    group.write<Real<T>>(room.vectors ? 2 : 1, room.places[j], 0, room.values[j] * scale);
  if (!room.vectors) return;
  make_left(room, count);
  const int left = room.wide ? 3 : 1, right = room.wide ? 1 : 3;
  Group::for_all(room.tall, room.width, [&](int i, int j) {
    room.wide ? group.write<T>(left, j, i, conjugate(room.u(i, j))) : group.write<T>(left, i, j, room.u(i, j));
  });
  Group::for_all(room.narrow, room.narrow, [&](int i, int j) {
    const int place = room.places[j];
    room.wide ? group.write<T>(right, i, place, room.v(i, j))
              : group.write<T>(right, place, i, conjugate(room.v(i, j)));
  });
}

// References to the arguments go far here: without __grid_constant__ each thread would have a copy of them.
template <class T, bool vectors>
__global__ void __launch_bounds__(kLinalgThreads) svd(const __grid_constant__ LinalgArgs args) {
  const SvdRoom<T> room(args, vectors);
  for_matrices(args, [&](const Group& group) {
    const Real<T> largest = read_tall(group, room);
    if (content_of(largest) == Content::finite) {
      const Real<T> scale = scale_near(largest);
      Group::for_all(room.tall, room.narrow, [&](int i, int j) {
        T& value = room.b(i, j);
        value = Make<T>::of(real_of(value) / scale, imag_of(value) / scale);
      });
      if (vectors) {
        Group::for_all(room.narrow, room.narrow,
                       [&](int i, int j) { room.v(i, j) = Make<T>::of(static_cast<Real<T>>(i == j)); });
      }
      __syncthreads();
      if (orthogonalize(room.b, room.narrow, room.v, vectors ? room.narrow : 0)) return write_svd(group, room, scale);
    }
    if (content_of(largest) != Content::infinite) group.fail(1);
    group.write_nan<Real<T>>(vectors ? 2 : 1, room.narrow, 1);
    if (!vectors) return;
    group.write_nan<T>(1, args.rows, room.wide ? room.narrow : room.width);
    group.write_nan<T>(3, room.wide ? room.width : room.narrow, args.columns);
  });
}

}  // namespace crossdock::cuda
