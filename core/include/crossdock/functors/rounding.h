// Rounding to whole numbers; complex numbers by parts (round only). Integers are whole: back-ends copy them.
#pragma once

#include "crossdock/functors/elementary.h"
#include "crossdock/functors/traits.h"

namespace crossdock::functors {

struct Floor {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return elementary::floor(a);
  }
};
struct Ceil {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return elementary::ceil(a);
  }
};
struct Trunc {
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    return elementary::trunc(a);
  }
};
struct Round {  // half to even
  template <class T>
  CROSSDOCK_HD T operator()(T a) const {
    if constexpr (is_complex<T>)
      return {elementary::rint(a.re), elementary::rint(a.im)};
    else
      return elementary::rint(a);
  }
};

}  // namespace crossdock::functors
