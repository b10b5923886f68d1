// Jacobi rotations, for eigenvalues and singular values.
#pragma once

#include "kernels/stack.h"

namespace crossdock::cuda {

inline constexpr int kMostSweeps = 60;  // ten serve matrices of any size; what does not end by then has NaN in it

// The unitary [[c, z], [-conj(z), c]], which as J in J^H [[a, b], [conj(b), d]] J leaves a diagonal matrix.
template <class T>
struct Rotation {
  Real<T> cosine;
  T sine;
  Real<T> shift;  // what d gains and a loses
};

template <class T>
inline Rotation<T> rotation_of(Real<T> a, Real<T> d, T b, Real<T> size_of_b) {
  const Real<T> half = (d - a) / (2 * size_of_b);
  const Real<T> root = root_of(1 + half * half);
  const Real<T> tangent = (half < 0 ? -1 : 1) / (absolute(half) + root);
  const Real<T> cosine = 1 / root_of(1 + tangent * tangent), sine = tangent * cosine;
  const T phase = Make<T>::of(real_of(b) / size_of_b, imag_of(b) / size_of_b);
  return {cosine, Make<T>::of(sine * real_of(phase), sine * imag_of(phase)), tangent * size_of_b};
}

// The columns p and q become c p - conj(z) q and z p + c q.
template <class T>
CROSSDOCK_HD void rotate(const Rotation<T>& rotation, T& p, T& q) {
  const T c = Make<T>::of(rotation.cosine), old = p;
  p = c * old - conjugate(rotation.sine) * q;
  q = rotation.sine * old + c * q;
}

// Pairs of n columns for each of the steps of a sweep, so that each meets each other one once: round-robin, where one
// stays and the others move on. `even`: n, or n + 1; a pair with column n or more is none.
struct Pair {
  int p, q;
};
CROSSDOCK_HD Pair pair_of(int step, int number, int even) {
  const int ring = even - 1;
  int p = number == 0 ? ring : step + number, q = number == 0 ? step : step - number;
  if (number != 0 && p >= ring) p -= ring;
  if (q < 0) q += ring;
  return p < q ? Pair{p, q} : Pair{q, p};
}

enum class Content { finite, infinite, nan };

// Of `largest`, the largest absolute value or NaN.
template <class R>
CROSSDOCK_HD Content content_of(R largest) {
  if (largest != largest) return Content::nan;
  return largest - largest == 0 ? Content::finite : Content::infinite;
}

// A power of two near to the value, at most: dividing by it rounds nothing and keeps squares from overflow.
inline float scale_near(float value) { return value > 0 ? exp2f(floorf(log2f(value))) : 1; }
inline double scale_near(double value) { return value > 0 ? exp2(floor(log2(value))) : 1; }

template <class T>
inline Real<T> largest_part(T value) {
  return larger(absolute(real_of(value)), absolute(imag_of(value)));
}

// Where each of n values is in order; `descending`, otherwise ascending.
template <class R>
inline void sort_places(const R* values, int n, bool descending, int* places) {
  for (int i = thread(); i < n; i += threads()) {
    int before = 0;
    for (int j = 0; j < n; ++j) {
      const bool first = descending ? values[j] > values[i] : values[j] < values[i];
      before += first || (values[j] == values[i] && j < i);
    }
    places[i] = before;
  }
  __syncthreads();
}

}  // namespace crossdock::cuda
