// NumPy's arrays at the level of C: read where they lie, and made by NumPy's own functions. Declares the little of
// NumPy's ABI that it needs (https://numpy.org/doc/stable/reference/c-api/), and tries it out before it is used.
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "borrow.h"
#include "convert.h"
#include "crossdock/runtime/error.h"
#include "operators.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));

// PyArrayObject_fields, the part that NumPy 1 and 2 have in common.
struct NdArray {
  PyObject_HEAD char* data;
  int ndim;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  // bytes
  PyObject* base;
  PyObject* dtype;
  int flags;
};
constexpr int kCContiguous = 0x1, kFContiguous = 0x2, kWriteable = 0x400;
constexpr unsigned kWarnsOnWrite = 1u << 31;

// What stands where in PyArray_API.
constexpr std::size_t kAbiVersion = 0, kNewFromDescr = 94, kSetBaseObject = 282;
constexpr unsigned kAbi2 = 0x02000000;

struct Numpy {
  PyTypeObject* ndarray;
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject* dtype, int ndim, const Py_ssize_t* shape,
                              const Py_ssize_t* strides, void* data, int flags, PyObject*);  // takes dtype over
  int (*set_base)(PyObject* array, PyObject* base);                                          // takes base over
};

// dtype objects that have been seen, which live on. Few, and the first are the most frequent.
struct Dtypes {
  std::vector<std::pair<PyObject*, Dtype>> known;
  std::array<PyObject*, kDtypeCount> canonical{};

  const Dtype* find(PyObject* dtype) const noexcept {
    for (const auto& [object, found] : known) {
      if (object == dtype) return &found;
    }
    return nullptr;
  }
};
Dtypes dtypes;

void learn(nb::handle numpy_dtype, nb::handle dtype, bool canonical) {
  const Dtype ours = dtype_of(dtype);
  if (canonical) dtypes.canonical[static_cast<std::size_t>(ours)] = numpy_dtype.ptr();
  if (dtypes.find(numpy_dtype.ptr())) return;
  dtypes.known.emplace_back(numpy_dtype.inc_ref().ptr(), ours);
}

// As NumPy shows strides through the buffer protocol: those of contiguous arrays made anew, where NumPy itself keeps
// anything along axes of length 1.
Dims strides_of(const NdArray& array, int itemsize) {
  Dims strides(reinterpret_cast<const std::int64_t*>(array.strides), array.ndim);
  std::int64_t step = itemsize;
  if (array.flags & kCContiguous) {
    for (int i = array.ndim - 1; i >= 0; step *= array.shape[i--]) strides[i] = step;
  } else if (array.flags & kFContiguous) {
    for (int i = 0; i < array.ndim; step *= array.shape[i++]) strides[i] = step;
  }
  return strides;
}

class NumpyReader final : public Reader {
 public:
  explicit NumpyReader(const Numpy& numpy) : numpy_(numpy) {}
  const Array* read(PyObject* object, Device& host, std::optional<Array>& room) override {
    if (Py_TYPE(object) != numpy_.ndarray) return nullptr;
    const auto& array = *reinterpret_cast<const NdArray*>(object);
    const Dtype* dtype = dtypes.find(array.dtype);
    if (!dtype || array.ndim > kMaxNdim || static_cast<unsigned>(array.flags) & kWarnsOnWrite) return nullptr;
    Dims shape(reinterpret_cast<const std::int64_t*>(array.shape), array.ndim);
    checked_nbytes(shape, itemsize(*dtype));
    Dims strides = strides_of(array, itemsize(*dtype));
    const auto [low, high] = byte_extent(shape, strides, itemsize(*dtype));
    const bool readonly = !(array.flags & kWriteable);
    auto* data = reinterpret_cast<std::byte*>(array.data);
    auto buffer = hold(host, data, static_cast<std::size_t>(high - low), nb::borrow(object));
    return &room.emplace(std::move(buffer), data, *dtype, std::move(shape), std::move(strides), readonly);
  }

 private:
  Numpy numpy_;
};

class NumpyWriter final : public Writer {
 public:
  explicit NumpyWriter(const Numpy& numpy) : numpy_(numpy) {}
  bool keeps(PyObject* object) override {
    return Py_TYPE(object) == numpy_.ndarray && dtypes.find(reinterpret_cast<const NdArray*>(object)->dtype);
  }
  PyObject* write(PyObject* source, const Array& array, std::optional<Array>& room) override {
    PyObject* dtype = dtypes.canonical[static_cast<std::size_t>(array.dtype())];
    if (!dtype || !array.data()) return nullptr;  // without data NumPy would allocate
    Py_INCREF(dtype);
    PyObject* out = numpy_.new_from_descr(numpy_.ndarray, dtype, array.ndim(),
                                          reinterpret_cast<const Py_ssize_t*>(array.shape().data()),
                                          reinterpret_cast<const Py_ssize_t*>(array.strides().data()), array.data(),
                                          array.readonly() ? 0 : kWriteable, nullptr);
    if (!out) return nullptr;
    const nb::object made = nb::steal(out);  // holder_of may throw
    if (numpy_.set_base(out, holder_of(source, room)) < 0) return nullptr;
    return made.inc_ref().ptr();
  }

 private:
  Numpy numpy_;
};

// Whether the memory of an array reads as declared above.
bool reads_true(const Numpy& numpy, nb::handle array) {
  const auto& fields = *reinterpret_cast<const NdArray*>(array.ptr());
  const nb::object strides = array.attr("strides"), interface = array.attr("__array_interface__");
  return Py_TYPE(array.ptr()) == numpy.ndarray && fields.ndim == nb::cast<int>(array.attr("ndim")) &&
         fields.ndim == 2 && nb::make_tuple(fields.shape[0], fields.shape[1]).equal(array.attr("shape")) &&
         nb::make_tuple(fields.strides[0], fields.strides[1]).equal(strides) &&
         fields.dtype == array.attr("dtype").ptr() &&
         reinterpret_cast<std::uintptr_t>(fields.data) == nb::cast<std::uintptr_t>(interface["data"][0]) &&
         ((fields.flags & kWriteable) != 0) == nb::cast<bool>(array.attr("flags").attr("writeable")) &&
         ((fields.flags & kFContiguous) != 0) == nb::cast<bool>(array.attr("flags").attr("f_contiguous"));
}

std::optional<Numpy> try_numpy() {
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object capsule = nb::module_::import_("numpy._core.multiarray").attr("_ARRAY_API");
  auto** api = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!api) throw nb::python_error();
  if (reinterpret_cast<unsigned (*)()>(api[kAbiVersion])() != kAbi2) return std::nullopt;
  const nb::object ndarray = numpy.attr("ndarray");
  const Numpy found{reinterpret_cast<PyTypeObject*>(ndarray.ptr()),
                    reinterpret_cast<decltype(Numpy::new_from_descr)>(api[kNewFromDescr]),
                    reinterpret_cast<decltype(Numpy::set_base)>(api[kSetBaseObject])};
  const nb::object plain = numpy.attr("empty")(nb::make_tuple(2, 3), "float32"), turned = plain.attr("T");
  turned.attr("flags").attr("writeable") = false;
  if (!reads_true(found, plain) || !reads_true(found, turned)) return std::nullopt;
  return found;
}

// Empty where NumPy is not built as it is declared here: the general path then does everything.
const std::optional<Numpy>& numpy() {
  // Not a static that makes itself: a thread that waits for it would keep the GIL from the one that imports.
  static std::optional<Numpy> found;
  static bool tried = false;
  if (tried) return found;
  try {
    found = try_numpy();
  } catch (nb::python_error&) {  // no such module, capsule or attribute
  }
  tried = true;
  return found;
}

}  // namespace

void define_numpy_port(nb::module_& m) {
  m.def(
      "_numpy_reader", []() -> Reader* { return numpy() ? new NumpyReader(*numpy()) : nullptr; },
      nb::rv_policy::take_ownership, nb::sig("def _numpy_reader() -> _Reader | None"), "Reads NumPy's arrays.");
  m.def(
      "_numpy_writer", []() -> Writer* { return numpy() ? new NumpyWriter(*numpy()) : nullptr; },
      nb::rv_policy::take_ownership, nb::sig("def _numpy_writer() -> _Writer | None"), "Makes NumPy's arrays.");
  m.def("_learn_numpy_dtype", &learn, "numpy_dtype"_a, "dtype"_a, nb::kw_only(), "canonical"_a,
        nb::sig("def _learn_numpy_dtype(numpy_dtype: numpy.dtype[typing.Any], dtype: dtype, *, canonical: bool) -> "
                "None"),
        "Has the ports of NumPy read arrays of a dtype object as those of ``dtype``; and if it is canonical, make them "
        "so.");
}

}  // namespace crossdock::bind
