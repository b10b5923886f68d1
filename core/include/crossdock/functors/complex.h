// Complex<T>: two T in a row, the layout of std::complex<T> and of NumPy.
#pragma once

#include "crossdock/functors/host_device.h"

namespace crossdock::functors {

template <class T>
struct Complex {
  T re, im;
};

template <class T>
CROSSDOCK_HD Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
CROSSDOCK_HD Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
CROSSDOCK_HD Complex<T> operator-(Complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
CROSSDOCK_HD Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
CROSSDOCK_HD Complex<T> operator*(T a, Complex<T> b) {
  return {a * b.re, a * b.im};
}
template <class T>
CROSSDOCK_HD bool operator==(Complex<T> a, Complex<T> b) {
  return a.re == b.re && a.im == b.im;
}
template <class T>
CROSSDOCK_HD bool operator!=(Complex<T> a, Complex<T> b) {
  return !(a == b);
}

// Smith's method: no overflow in between.
template <class T>
CROSSDOCK_HD Complex<T> operator/(Complex<T> a, Complex<T> b) {
  const T re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
  if (re >= im) {
    if (re == 0 && im == 0) return {a.re / re, a.im / re};
    const T ratio = b.im / b.re, size = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
  }
  const T ratio = b.re / b.im, size = b.im + b.re * ratio;
  return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

}  // namespace crossdock::functors
