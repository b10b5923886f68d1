// class Array.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <string>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/ops/reduction.h"
#include "crossdock/runtime/error.h"
#include "dlpack.h"
#include "exchange_table.h"
#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// What is easier said in Python lives in crossdock.core._array; looked up when it is called.
nb::object python_side(const char* function) { return nb::module_::import_("crossdock.core._array").attr(function); }

nb::object nested_list(const Array& array, const std::byte* data, int dim) {
  if (dim == array.ndim()) return to_python(load(data, array.dtype()));
  const std::int64_t count = array.shape()[dim], stride = array.size() == 0 ? 0 : array.strides()[dim];
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(count)));
  if (!list.is_valid()) throw nb::python_error();
  for (std::int64_t i = 0; i < count; ++i) {
    if ((i & 0xffff) == 0xffff && PyErr_CheckSignals() < 0) throw nb::python_error();  // a long list
    nb::object item = nested_list(array, data + i * stride, dim + 1);
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), item.release().ptr());
  }
  return list;
}

nb::object to_list(const Array& array) {
  // Host arrays are read where they are; the others come over in one piece.
  Device& host = find_device("native:0");
  const Array here = array.device().is_host() ? array : unlocked(array.device(), array.size(), [&] {
    return to_device(array, host, {.op = "tolist", .target = "@numpy", .implicit = true});
  });
  return nested_list(here, here.data(), 0);
}

nb::object array_interface(const Array& array) {
  if (!array.device().is_host()) {
    throw nb::attribute_error(("an array on '" + array.device().spec() + "' has no host memory").c_str());
  }
  if (kind(array.dtype()) == DtypeKind::storage || array.dtype() == Dtype::bfloat16) {
    throw nb::attribute_error(("the array interface has no word for " + std::string(name(array.dtype()))).c_str());
  }
  return python_side("array_interface")(to_python(array));
}

// The array interface has words for memory on the host and on CUDA.
nb::object cuda_array_interface(const Array& array) {
  constexpr std::int32_t kCuda = 2;  // kDLCUDA
  if (array.device().dlpack_type() != kCuda) {
    throw nb::attribute_error(("an array on '" + array.device().spec() + "' has no CUDA memory").c_str());
  }
  if (kind(array.dtype()) == DtypeKind::storage || array.dtype() == Dtype::bfloat16) {
    throw nb::attribute_error(("the array interface has no word for " + std::string(name(array.dtype()))).c_str());
  }
  return python_side("cuda_array_interface")(to_python(array));
}

void define_facts(nb::class_<Array>& c) {
  c.def_prop_ro(
       "shape", [](const Array& x) { return to_python(x.shape()); }, nb::sig("def shape(self) -> tuple[int, ...]"),
       "Extent of each dimension.")
      .def_prop_ro(
          "strides", [](const Array& x) { return to_python(x.strides()); },
          nb::sig("def strides(self) -> tuple[int, ...]"), "Step along each dimension, in bytes; may be 0 or negative.")
      .def_prop_ro("ndim", &Array::ndim, "Number of dimensions.")
      .def_prop_ro("size", &Array::size, "Number of elements.")
      .def_prop_ro("itemsize", &Array::itemsize, "Bytes of one element.")
      .def_prop_ro("nbytes", &Array::nbytes, "Bytes of all elements, which need not lie side by side.")
      .def_prop_ro(
          "dtype", [](const Array& x) { return to_python(x.dtype()); }, nb::sig("def dtype(self) -> dtype"),
          "Data type.")
      .def_prop_ro(
          "device", [](const Array& x) { return to_python(x.device()); }, nb::sig("def device(self) -> Device"),
          "The core device that holds the memory.")
      .def_prop_ro("readonly", &Array::readonly, "Whether writing raises.")
      .def_prop_ro("c_contiguous", &Array::is_c_contiguous, "Whether the elements lie side by side in C order.")
      .def_prop_ro(
          "data_ptr", [](const Array& x) { return reinterpret_cast<std::uintptr_t>(x.data()); },
          "Address of the first element in the device's address space; the host can read it only on host devices.")
      .def_prop_ro(
          "T",
          [](const Array& x) {
            if (x.ndim() != 2) {
              throw DimensionError("T: takes an array of two dimensions, this one has shape " + to_string(x.shape()) +
                                   "; permute_dims takes any");
            }
            return to_python(transpose(x));
          },
          nb::sig("def T(self) -> Array"), "The matrix transposed; a view.")
      .def_prop_ro(
          "mT", [](const Array& x) { return to_python(matrix_transpose(x)); }, nb::sig("def mT(self) -> Array"),
          "The last two dimensions swapped; a view.");
}

void define_scalars(nb::class_<Array>& c) {
  c.def(
       "__complex__",
       [](const Array& x) {
         const Scalar scalar = pull_scalar_of(x, "complex");
         const auto value = std::visit([](auto number) { return std::complex<double>(number); }, scalar.value);
         return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
       },
       nb::sig("def __complex__(self) -> complex"), "The one element as a complex number; an implicit transfer, waits.")
      .def(
          "item", [](const Array& x) { return to_python(pull_scalar_of(x, "item")); },
          nb::sig("def item(self) -> bool | int | float | complex"),
          "The one element as a Python number; an implicit transfer, waits. TypeError unless size is 1.")
      .def("tolist", &to_list, nb::sig("def tolist(self) -> typing.Any"),
           "All elements as nested lists of Python numbers; an implicit transfer, waits.");
}

void define_protocols(nb::class_<Array>& c) {
  c.def("__dlpack__", &to_capsule, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
        "dl_device"_a = nb::none(), "copy"_a = nb::none(),
        nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, "
                "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"),
        "A DLPack capsule of this memory (array API standard, ``array.__dlpack__``).\n\n"
        "Versioned when ``max_version`` is (1, 0) or more, with the read-only flag. ``dl_device=(1, 0)`` copies an\n"
        "accelerator's values to the host. Everything that cannot be done is a BufferError.")
      .def(
          "__dlpack_device__",
          [](const Array& x) { return nb::make_tuple(x.device().dlpack_type(), x.device().dlpack_id()); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"), "(device type, device id) as DLPack counts them.")
      .def_prop_ro("__array_interface__", &array_interface,
                   nb::sig("def __array_interface__(self) -> dict[str, typing.Any]"),
                   "NumPy's array interface, version 3; AttributeError on an accelerator.")
      .def_prop_ro("__cuda_array_interface__", &cuda_array_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                   "The CUDA array interface, version 3, in order with the legacy default stream; AttributeError on\n"
                   "another device.")
      .def(
          "__array__",
          [](nb::handle self, nb::handle dtype, nb::handle copy) {
            return python_side("as_ndarray")(self, dtype, copy);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none(),
          nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"),
          "A NumPy view of host memory; TypeError on an accelerator, where crossdock.to_numpy is the explicit way.")
      .def(
          "__array_namespace__",
          [](nb::handle self, nb::handle version) { return python_side("namespace")(self, version); }, nb::kw_only(),
          "api_version"_a = nb::none(),
          nb::sig("def __array_namespace__(self, *, api_version: str | None = None) -> typing.Any"), "crossdock.core.")
      .def(
          "__repr__", [](nb::handle self) { return python_side("represent")(self); },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "__format__", [](nb::handle self, nb::handle spec) { return python_side("format_array")(self, spec); },
          nb::sig("def __format__(self, format_spec: str, /) -> str"))
      .def(
          "__reduce_ex__",
          [](nb::handle self, nb::handle protocol) {
            return nb::module_::import_("crossdock.core._pickle").attr("reduce_array")(self, protocol);
          },
          nb::sig("def __reduce_ex__(self, protocol: typing.SupportsIndex, /) -> typing.Any"))
      .def(
          "__copy__", [](const Array& x) { return to_python(unlocked(x.device(), x.size(), [&] { return copy(x); })); },
          nb::sig("def __copy__(self) -> Array"))
      .def(
          "__deepcopy__",
          [](const Array& x, nb::handle) { return to_python(unlocked(x.device(), x.size(), [&] { return copy(x); })); },
          nb::sig("def __deepcopy__(self, memo: typing.Any, /) -> Array"));
}

void define_methods(nb::class_<Array>& c) {
  c.def(
       "to_device",
       [](const Array& x, nb::handle device, nb::handle stream) {
         if (!stream.is_none())
           throw ValueError("to_device: streams cannot be given; work is in order on the default stream");
         Device& target = device_of(device);
         const Unlocked unlocked;
         return to_device(x, target, {.op = "to_device"});
       },
       "device"_a, nb::kw_only(), "stream"_a = nb::none(),
       nb::sig("def to_device(self, device: Device | str, /, *, stream: None = None) -> Array"),
       "This array on another core device: itself on its own, a view where the memory is the same, else a copy.")
      .def(
          "astype",
          [](const Array& x, nb::handle dtype, bool copy) {
            const Dtype wanted = dtype_of(dtype);
            require_castable(x.dtype(), wanted);
            if (!copy && wanted == x.dtype()) return x;
            return unlocked(x.device(), x.size(), [&] { return astype(x, wanted); });
          },
          "dtype"_a, nb::kw_only(), "copy"_a = true,
          nb::sig("def astype(self, dtype: typing.Any, /, *, copy: bool = True) -> Array"),
          "Converted to ``dtype`` as C would, complex to real refused; a fresh array unless ``copy=False`` and nothing "
          "changes.")
      .def(
          "reshape",
          [](const Array& x, nb::args shape) {
            const nb::object extents = shape.size() == 1 ? nb::object(shape[0]) : nb::object(shape);
            return unlocked(x.device(), x.size(), [&, dims = dims_of(extents, "reshape")] { return reshape(x, dims); });
          },
          nb::sig("def reshape(self, *shape: typing.Any) -> Array"),
          "In another shape; a view where the strides allow it.")
      .def("_bits", &Array::bits, "The same memory as unsigned integers of the same size.")
      .def("_as_readonly", &Array::as_readonly, "The same memory, not to be written through.");
}

}  // namespace

void define_array(nb::module_& m) {
  nb::class_<Array> c(
      m, "Array", nb::type_slots(array_slots), nb::is_final(), nb::is_weak_referenceable(), nb::pooled(),
      "A typed, strided array on a device of the core.\n\n"
      "Made by the functions of `crossdock.core`. Operators follow the array API standard: both sides on one\n"
      "device, dtypes promoted, Python numbers weak. Views share memory; arithmetic gives fresh arrays on the\n"
      "same device. ``float(x)`` and its like wait for the device and pull one value to the host.");
  c.attr("__array_ufunc__") = nb::none();
  c.attr("__dlpack_c_exchange_api__") = table_of_ours();
  define_facts(c);
  define_scalars(c);
  define_protocols(c);
  define_methods(c);
  define_reduction_methods(c);
}

}  // namespace crossdock::bind
