// Parts of complex numbers.
#pragma once

#include "crossdock/functors/complex.h"

namespace crossdock::functors {

struct RealPart {
  template <class T>
  CROSSDOCK_HD T operator()(Complex<T> a) const {
    return a.re;
  }
};
struct ImaginaryPart {
  template <class T>
  CROSSDOCK_HD T operator()(Complex<T> a) const {
    return a.im;
  }
};
struct Conjugate {
  template <class T>
  CROSSDOCK_HD Complex<T> operator()(Complex<T> a) const {
    return {a.re, -a.im};
  }
};

}  // namespace crossdock::functors
