// Between Python objects and the core's values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <vector>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"
#include "gil.h"

namespace crossdock::bind {

namespace nb = nanobind;

// The characters of a Python string; lone surrogates, which have no encoding, as escapes.
std::string text_of(nb::handle string);

// The digits of a Python integer; of a huge one how many bits it has (Python refuses to print those).
std::string digits_of(nb::handle integer);

// Arrays. `array_or_null` is the cheap type test.
void cache_types();
const Array* array_or_null(PyObject* object) noexcept;
const Array& array_of(nb::handle object, const char* op,
                      const Array* beside = nullptr);  // TypeError naming op and type
nb::object to_python(Array array);
PyObject* to_python_raw(Array&& array);  // a new reference

// Python and NumPy numbers; empty for anything else. OverflowError for an integer beyond 64 bits.
std::optional<Scalar> scalar_or_null(PyObject* object);
nb::object to_python(const Scalar& scalar);
// An array or a scalar; TypeError naming op, with advice for a NumPy array.
Argument argument_of(nb::handle object, const char* op, const Array* beside = nullptr);
bool is_numpy_array(PyObject* object);
bool is_foreign_array(PyObject* object);  // of NumPy or another library; not one of ours
bool is_numpy_dtype(PyObject* object);
bool is_numpy_scalar_type(PyObject* object);  // numpy.float64 and its like
// `beside`: the array it was to go with, for the advice; may be null.
[[noreturn]] void refuse_argument(const char* op, PyObject* object, const Array* beside = nullptr);

// An integer; the nearest of 64 bits where it has more, for arguments that mean no more than far away. TypeError.
std::int64_t saturated_of(nb::handle object, const char* op);
// One integer or a sequence of them.
Dims dims_of(nb::handle object, const char* what);
std::optional<Dims> axes_of(nb::handle object, const char* op);  // None: all
nb::tuple to_python(const Dims& dims);
std::int64_t work_of(const Dims& shape) noexcept;  // elements, to decide whether to release the GIL; not checked

// A dtype of ours, its name, or what numpy.dtype takes. DtypeError.
Dtype dtype_of(nb::handle object);
std::optional<Dtype> optional_dtype(nb::handle object);
nb::object to_python(Dtype dtype);
// DtypeError where astype would drop imaginary parts (array API standard, "astype").
void require_castable(Dtype from, Dtype to);

// A Device of ours, a spec, or an object with `core_device`; None: the default device.
Device& device_of(nb::handle object);
nb::object to_python(Device& device);
nb::object set_default_device(nb::object function);  // the one before

std::vector<Array> arrays_of(nb::handle sequence, const char* op);
std::vector<Array> arrays_of(const nb::args& items, const char* op);
nb::list to_python(std::vector<Array> arrays);

// For `unlocked`: work whose size is not looked at.
inline constexpr std::int64_t kLongWork = 1 << 20;

// Runs `body` without the GIL when it may take long or wait: on an accelerator, or over many elements.
template <class Body>
auto unlocked(Device& device, std::int64_t size, Body&& body) {
  constexpr std::int64_t kQuick = 1 << 14;
  if (device.is_host() && size <= kQuick) return body();
  const Unlocked unlocked;
  return body();
}

}  // namespace crossdock::bind
