// The transforms behind crossdock.core.fft.
#include "crossdock/ops/fft.h"

#include <nanobind/nanobind.h>

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

std::int64_t integer_of(nb::handle object, const char* op, const char* argument) {
  const std::string what = std::string(op) + ": " + argument;
  if (!PyIndex_Check(object.ptr()) || array_or_null(object.ptr())) {
    throw TypeError(what + " is an integer, not " + text_of(object.type().attr("__name__")));
  }
  return dims_of(object, what.c_str())[0];
}

FourierNorm norm_of(nb::handle norm, Fourier function) {
  if (!PyUnicode_Check(norm.ptr())) {
    throw TypeError(std::string(name(function)) + ": norm is 'backward', 'ortho' or 'forward', not " +
                    text_of(nb::repr(norm)));
  }
  return fourier_norm_of(text_of(norm), name(function));
}

nb::object transform_one(const char* word, nb::handle x, nb::handle n, nb::handle axis, nb::handle norm) {
  const Fourier function = fourier_of(word);
  const char* op = name(function);
  const Array& array = array_of(x, op);
  std::optional<std::int64_t> length;
  if (!n.is_none()) length = integer_of(n, op, "n");
  const std::int64_t along = integer_of(axis, op, "axis");
  const FourierNorm mode = norm_of(norm, function);
  return to_python(unlocked(array.device(), kLongWork, [&] { return fourier(function, array, length, along, mode); }));
}

nb::object transform_many(const char* word, nb::handle x, nb::handle s, nb::handle axes, nb::handle norm) {
  const Fourier function = fourier_of(word);
  const char* op = name(function);
  const Array& array = array_of(x, op);
  const auto lengths = axes_of(s, op), along = axes_of(axes, op);
  const FourierNorm mode = norm_of(norm, function);
  return to_python(unlocked(array.device(), kLongWork, [&] { return fourier(function, array, lengths, along, mode); }));
}

nb::object frequencies(nb::handle n, nb::handle d, nb::handle dtype, nb::handle device, bool real) {
  const char* op = real ? "rfftfreq" : "fftfreq";
  const std::int64_t count = integer_of(n, op, "n");
  const auto spacing = scalar_or_null(d.ptr());
  if (!spacing) throw TypeError(std::string(op) + ": d is a real number, not " + text_of(nb::repr(d)));
  std::byte element[16];
  store(*spacing, Dtype::float64, element);
  const double step = std::get<double>(load(element, Dtype::float64).value);
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  Device& place = device_of(device);
  return to_python(unlocked(place, count, [&] { return fourier_frequencies(count, step, real, wanted, place); }));
}

nb::object shifted(nb::handle x, nb::handle axes, bool inverse) {
  const char* op = inverse ? "ifftshift" : "fftshift";
  const Array& array = array_of(x, op);
  const auto along = axes_of(axes, op);
  return to_python(unlocked(array.device(), array.size(), [&] { return shift_zero_frequency(array, along, inverse); }));
}

}  // namespace

// crossdock/core/fft.py says what they do.
void define_fft(nb::module_& m) {
  m.def("_fft_one", &transform_one, "function"_a, "x"_a.none(), "n"_a.none(), "axis"_a.none(), "norm"_a.none(),
        nb::sig("def _fft_one(function: str, x: Array, n: int | None, axis: int, norm: str) -> Array"));
  m.def("_fft_many", &transform_many, "function"_a, "x"_a.none(), "s"_a.none(), "axes"_a.none(), "norm"_a.none(),
        nb::sig("def _fft_many(function: str, x: Array, s: collections.abc.Sequence[int] | None, axes: "
                "collections.abc.Sequence[int] | None, norm: str) -> Array"));
  m.def("_fft_frequencies", &frequencies, "n"_a.none(), "d"_a.none(), "dtype"_a.none(), "device"_a.none(), "real"_a,
        nb::sig("def _fft_frequencies(n: int, d: float, dtype: typing.Any, device: Device | str | None, real: bool) "
                "-> Array"));
  m.def("_fft_shift", &shifted, "x"_a.none(), "axes"_a.none(), "inverse"_a,
        nb::sig("def _fft_shift(x: Array, axes: int | collections.abc.Sequence[int] | None, inverse: bool) -> Array"));
}

}  // namespace crossdock::bind
