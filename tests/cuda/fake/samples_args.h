// Arguments of the sample kernels: one struct each.
#pragma once

namespace crossdock::cuda {

template <class T>
struct Add {
  const T *a, *b;
  T* out;
  long n;
};

struct Histogram {
  const int* values;
  unsigned* bins;
  int* largest;
  long n;
  int n_bins;
};

struct Lanes {
  int* out;
  int how, zero;
};

}  // namespace crossdock::cuda
