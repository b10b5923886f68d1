#include "convert.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "crossdock/runtime/error.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// Looked up once; never freed, as types live as long as the interpreter.
struct Cache {
  PyTypeObject* array = nullptr;
  PyObject* numpy_generic = nullptr;
  PyObject* numpy_ndarray = nullptr;
  PyObject* numpy_dtype = nullptr;
  std::array<PyObject*, kDtypeCount> dtypes{};
  std::vector<std::pair<const Device*, PyObject*>> devices;
  PyObject* default_device = nullptr;
};
Cache cache;

std::string type_name(PyObject* object) {
  return nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__name__"));
}

std::variant<std::int64_t, std::uint64_t> integer_of(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return static_cast<std::int64_t>(value);
  }
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
  if (overflow < 0 || (large == std::numeric_limits<unsigned long long>::max() && PyErr_Occurred())) {
    PyErr_Clear();
    throw OverflowError("the integer " + digits_of(object) + " does not fit in 64 bits");
  }
  return static_cast<std::uint64_t>(large);
}

Scalar weak_integer(PyObject* object) {
  return std::visit([](auto value) { return Scalar{value}; }, integer_of(object));
}

// The plain value of a NumPy scalar, with its dtype.
std::optional<Scalar> numpy_scalar(PyObject* object) {
  const nb::handle scalar(object);
  const auto dtype = find_dtype(nb::cast<std::string>(scalar.attr("dtype").attr("name")));
  if (!dtype) return std::nullopt;
  nb::object plain = scalar.attr("item")();
  // bfloat16, float8 and int4 scalars have no plain value of their own.
  if (kind(*dtype) == DtypeKind::storage || *dtype == Dtype::bfloat16) plain = nb::float_(scalar);
  auto value = scalar_or_null(plain.ptr());
  if (value) value->dtype = dtype;
  return value;
}

}  // namespace

std::string text_of(nb::handle string) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

std::string digits_of(nb::handle integer) {
  const auto bits = nb::cast<std::size_t>(integer.attr("bit_length")());
  return bits <= 256 ? text_of(nb::str(integer)) : "of " + std::to_string(bits) + " bits";
}

void cache_types() {
  cache.array = reinterpret_cast<PyTypeObject*>(nb::type<Array>().ptr());
  const nb::object numpy = nb::module_::import_("numpy");
  cache.numpy_generic = numpy.attr("generic").inc_ref().ptr();
  cache.numpy_ndarray = numpy.attr("ndarray").inc_ref().ptr();
  cache.numpy_dtype = numpy.attr("dtype").inc_ref().ptr();
  for (int i = 0; i < kDtypeCount; ++i) {
    cache.dtypes[static_cast<std::size_t>(i)] = nb::cast(DtypeObject{static_cast<Dtype>(i)}).release().ptr();
  }
}

const Array* array_or_null(PyObject* object) noexcept {
  return Py_TYPE(object) == cache.array ? nb::inst_ptr<Array>(nb::handle(object)) : nullptr;
}

const Array& array_of(nb::handle object, const char* op, const Array* beside) {
  if (const Array* array = array_or_null(object.ptr())) return *array;
  if (is_foreign_array(object.ptr())) refuse_argument(op, object.ptr(), beside);
  throw TypeError(std::string(op) + ": takes an array of crossdock.core, not " + type_name(object.ptr()) +
                  "; crossdock.core.asarray makes one of numbers and sequences");
}

PyObject* to_python_raw(Array&& array) {
  nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(cache.array)));
  new (nb::inst_ptr<Array>(object)) Array(std::move(array));
  nb::inst_mark_ready(object);
  return object.release().ptr();
}

nb::object to_python(Array array) { return nb::steal(to_python_raw(std::move(array))); }

std::optional<Scalar> scalar_or_null(PyObject* object) {
  // numpy.float64 is a float, but a strong one: NumPy's are asked first unless the type is Python's own.
  if (PyFloat_CheckExact(object)) return Scalar{PyFloat_AsDouble(object)};
  if (PyLong_CheckExact(object)) return weak_integer(object);
  if (PyBool_Check(object)) return Scalar{object == Py_True};
  if (PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(cache.numpy_generic))) return numpy_scalar(object);
  if (PyFloat_Check(object)) return Scalar{PyFloat_AsDouble(object)};
  if (PyLong_Check(object)) return weak_integer(object);
  if (PyComplex_Check(object)) {
    return Scalar{std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object))};
  }
  return std::nullopt;
}

nb::object to_python(const Scalar& scalar) {
  return std::visit(
      [](auto value) -> nb::object {
        using Value = decltype(value);
        if constexpr (std::is_same_v<Value, bool>)
          return nb::bool_(value);
        else if constexpr (std::is_same_v<Value, double>)
          return nb::float_(value);
        else if constexpr (std::is_same_v<Value, std::complex<double>>) {
          return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
        } else {
          return nb::int_(value);
        }
      },
      scalar.value);
}

bool is_numpy_array(PyObject* object) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(cache.numpy_ndarray));
}

bool is_foreign_array(PyObject* object) {
  return is_numpy_array(object) || PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dlpack__");
}

bool is_numpy_dtype(PyObject* object) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(cache.numpy_dtype));
}

bool is_numpy_scalar_type(PyObject* object) {
  return PyType_Check(object) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object),
                                                  reinterpret_cast<PyTypeObject*>(cache.numpy_generic));
}

void refuse_argument(const char* op, PyObject* object, const Array* beside) {
  if (is_foreign_array(object)) {
    const std::string device = beside ? beside->device().spec() : "native:0";
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    const std::string what =
        is_numpy_array(object)
            ? "a NumPy array"
            : "an array of another library (" + text_of(type.attr("__module__")) + "." + type_name(object) + ")";
    throw TypeError(std::string(op) + ": " + what + " does not mix with a core array; move it first, with " +
                    "crossdock.get_device('" + device + "').send(x) or crossdock.core.asarray(x, device='" + device +
                    "')");
  }
  throw TypeError(std::string(op) + ": takes arrays of crossdock.core and numbers, not " + type_name(object));
}

Argument argument_of(nb::handle object, const char* op, const Array* beside) {
  if (const Array* array = array_or_null(object.ptr())) return array;
  if (auto scalar = scalar_or_null(object.ptr())) return *scalar;
  refuse_argument(op, object.ptr(), beside);
}

std::int64_t saturated_of(nb::handle object, const char* op) {
  if (!PyIndex_Check(object.ptr()) || PyBool_Check(object.ptr())) {
    throw TypeError(std::string(op) + ": takes an integer, not " + type_name(object.ptr()));
  }
  const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  if (!integer.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  using Limits = std::numeric_limits<std::int64_t>;
  return overflow == 0 ? value : overflow > 0 ? Limits::max() : Limits::min();
}

Dims dims_of(nb::handle object, const char* what) {
  const auto one = [&](nb::handle item) -> std::int64_t {
    if (!PyIndex_Check(item.ptr()) || PyBool_Check(item.ptr())) {
      throw TypeError(std::string(what) + ": takes an integer or a sequence of integers, not " + type_name(item.ptr()));
    }
    const nb::object integer = nb::steal(PyNumber_Index(item.ptr()));
    if (!integer.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow) {
      throw DimensionError(std::string(what) + ": the integer " + digits_of(integer) + " does not fit in 64 bits");
    }
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
  };
  const Array* array = array_or_null(object.ptr());
  if (PyIndex_Check(object.ptr()) && !(array && array->ndim() != 0)) return {one(object)};
  if (!PySequence_Check(object.ptr()) || PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    throw TypeError(std::string(what) + ": takes an integer or a sequence of integers, not " + type_name(object.ptr()));
  }
  Dims dims;
  for (nb::handle item : nb::borrow<nb::object>(object)) {
    if (dims.size() == kMaxNdim) {
      throw DimensionError(std::string(what) + ": more than " + std::to_string(kMaxNdim) + " dimensions");
    }
    dims.push_back(one(item));
  }
  return dims;
}

std::int64_t work_of(const Dims& shape) noexcept {
  std::int64_t work = 1;
  for (auto extent : shape) {
    if (__builtin_mul_overflow(work, extent, &work)) return std::numeric_limits<std::int64_t>::max();
  }
  return work;
}

std::optional<Dims> axes_of(nb::handle object, const char* op) {
  if (object.is_none()) return std::nullopt;
  return dims_of(object, op);
}

nb::tuple to_python(const Dims& dims) {
  nb::object tuple = nb::steal(PyTuple_New(dims.size()));
  for (int i = 0; i < dims.size(); ++i) PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong(dims[i]));
  return nb::borrow<nb::tuple>(tuple);
}

Dtype dtype_of(nb::handle object) {
  DtypeObject ours{};
  if (nb::try_cast<DtypeObject>(object, ours, false)) return ours.dtype;
  const auto refuse = [](const std::string& what) {
    throw DtypeError("no dtype " + what +
                     " in crossdock.core; there are bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
                     "float32, float64, complex64, complex128, float8_e4m3fn, float8_e5m2, int4, uint4");
  };
  if (PyUnicode_Check(object.ptr())) {
    const std::string text = text_of(object);
    const auto dtype = find_dtype(text);
    if (!dtype) refuse("'" + text + "'");
    return *dtype;
  }
  nb::object numpy_dtype;
  try {
    numpy_dtype = nb::module_::import_("numpy").attr("dtype")(object);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    refuse(text_of(nb::repr(object)));
  }
  const auto dtype = find_dtype(nb::cast<std::string>(numpy_dtype.attr("name")));
  if (!dtype) refuse(text_of(nb::repr(object)));
  if (!nb::cast<bool>(numpy_dtype.attr("isnative"))) {
    throw DtypeError("dtype " + nb::cast<std::string>(nb::str(numpy_dtype)) +
                     " has foreign byte order; swap first, with x.astype(x.dtype.newbyteorder('='))");
  }
  return *dtype;
}

std::optional<Dtype> optional_dtype(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return dtype_of(object);
}

void require_castable(Dtype from, Dtype to) {
  if (is_complex(from) && !is_complex(to)) {
    throw DtypeError("astype: " + std::string(name(from)) + " to " + std::string(name(to)) +
                     " would drop the imaginary parts; take real(x) or abs(x) first");
  }
}

nb::object to_python(Dtype dtype) { return nb::borrow(cache.dtypes[static_cast<std::size_t>(dtype)]); }

namespace {

// Its Python object is made before there are arrays, while there is memory for it.
Device& kept(Device& device) {
  to_python(device);
  return device;
}

}  // namespace

Device& device_of(nb::handle object) {
  if (object.is_none()) {
    if (cache.default_device) {
      const nb::object function = nb::borrow(cache.default_device);  // it may be replaced while it runs
      const nb::object chosen = function();
      if (!chosen.is_none()) return device_of(chosen);
    }
    static Device& host = kept(find_device("native:0"));
    return host;
  }
  if (nb::isinstance<Device>(object)) return nb::cast<Device&>(object);
  if (PyUnicode_Check(object.ptr())) return kept(find_device(text_of(object)));
  const nb::object ours = nb::getattr(object, "core_device", nb::none());
  if (nb::isinstance<Device>(ours)) return nb::cast<Device&>(ours);
  throw TypeError("device: takes a spec such as 'native:0', a device of crossdock.core, or None, not " +
                  text_of(nb::repr(object)));
}

// Made once and kept: where memory has run out, nanobind cannot register an object and ends the process.
nb::object to_python(Device& device) {
  const auto known = std::ranges::find(cache.devices, &device, [](const auto& pair) { return pair.first; });
  if (known != cache.devices.end()) return nb::borrow(known->second);
  nb::object made = nb::cast(&device, nb::rv_policy::reference);
  cache.devices.emplace_back(&device, made.ptr());
  return nb::borrow(made.release());
}

nb::object set_default_device(nb::object function) {
  PyObject* old = cache.default_device;
  cache.default_device = function.is_none() ? nullptr : function.release().ptr();
  return old ? nb::steal(old) : nb::none();
}

std::vector<Array> arrays_of(nb::handle sequence, const char* op) {
  if (!nb::isinstance<nb::list>(sequence) && !nb::isinstance<nb::tuple>(sequence)) {
    throw TypeError(std::string(op) + ": takes a list or tuple of arrays, not " + type_name(sequence.ptr()));
  }
  const Array* beside = nullptr;
  for (nb::handle item : nb::borrow<nb::object>(sequence)) beside = beside ? beside : array_or_null(item.ptr());
  std::vector<Array> arrays;
  for (nb::handle item : nb::borrow<nb::object>(sequence)) arrays.push_back(array_of(item, op, beside));
  return arrays;
}

std::vector<Array> arrays_of(const nb::args& items, const char* op) {
  std::vector<Array> arrays;
  for (nb::handle item : items) arrays.push_back(array_of(item, op, arrays.empty() ? nullptr : &arrays.front()));
  return arrays;
}

nb::list to_python(std::vector<Array> arrays) {
  nb::list out;
  for (Array& array : arrays) out.append(to_python(std::move(array)));
  return out;
}

}  // namespace crossdock::bind
