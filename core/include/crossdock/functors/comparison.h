// Comparisons, and the larger and smaller of two: NaN compares unequal and wins in maximum and minimum.
#pragma once

#include "crossdock/functors/traits.h"

namespace crossdock::functors {

struct Equal {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  CROSSDOCK_HD bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct Maximum {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_floating<T>)
      return (a > b) | (a != a) ? a : b;
    else
      return a > b ? a : b;
  }
};
struct Minimum {
  template <class T>
  CROSSDOCK_HD T operator()(T a, T b) const {
    if constexpr (is_floating<T>)
      return (a < b) | (a != a) ? a : b;
    else
      return a < b ? a : b;
  }
};

}  // namespace crossdock::functors
