#include "buffer.h"

#include <memory>
#include <string>

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "errors.h"

namespace crossdock::bind {

namespace {

static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));

// What a Py_buffer points into. It holds the memory by itself, whatever happens to the Python object.
struct Export {
  Array array;
  Dims shape, strides;
};

// struct-module codes; null where there is none.
const char* format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bool_:
      return "?";
    case Dtype::int8:
      return "b";
    case Dtype::int16:
      return "h";
    case Dtype::int32:
      return "i";
    case Dtype::int64:
      return sizeof(long) == 8 ? "l" : "q";  // NumPy has both, and others take only one
    case Dtype::uint8:
      return "B";
    case Dtype::uint16:
      return "H";
    case Dtype::uint32:
      return "I";
    case Dtype::uint64:
      return sizeof(long) == 8 ? "L" : "Q";
    case Dtype::float16:
      return "e";
    case Dtype::float32:
      return "f";
    case Dtype::float64:
      return "d";
    case Dtype::complex64:
      return "Zf";
    case Dtype::complex128:
      return "Zd";
    default:
      return nullptr;
  }
}

void check_request(const Array& array, int flags) {
  if (!array.device().is_host()) {
    throw ExchangeError("an array on '" + array.device().spec() +
                        "' has no host memory to show; bring it over with crossdock.to_numpy(x)");
  }
  if (!format_of(array.dtype())) {
    throw ExchangeError("the buffer protocol has no code for " + std::string(name(array.dtype())) +
                        "; use crossdock.to_numpy(x)");
  }
  if ((flags & PyBUF_WRITABLE) && array.readonly()) throw ExchangeError("the array is read-only");
  const bool c = array.is_c_contiguous(), f = is_f_contiguous(array.shape(), array.strides(), array.itemsize());
  const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const auto wants = [&](int flag) { return (flags & flag) == flag; };
  if ((wants(PyBUF_C_CONTIGUOUS) && !c) || (wants(PyBUF_F_CONTIGUOUS) && !f) ||
      (wants(PyBUF_ANY_CONTIGUOUS) && !c && !f) || (!takes_strides && !c)) {
    throw ExchangeError("the array is not contiguous as asked: shape " + to_string(array.shape()) + ", byte strides " +
                        to_string(array.strides()));
  }
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded<int>(-1, [&] {
    const Array& array = *array_or_null(self);
    check_request(array, flags);
    auto hold = std::make_unique<Export>(Export{array, array.shape(), array.strides()});
    view->buf = array.data();
    view->len = array.nbytes();
    view->itemsize = array.itemsize();
    view->readonly = array.readonly();
    view->ndim = array.ndim();
    view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format_of(array.dtype())) : nullptr;
    const bool takes_shape = (flags & PyBUF_ND) == PyBUF_ND;
    const bool takes_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    view->shape = takes_shape ? reinterpret_cast<Py_ssize_t*>(hold->shape.data()) : nullptr;
    view->strides = takes_strides ? reinterpret_cast<Py_ssize_t*>(hold->strides.data()) : nullptr;
    view->suboffsets = nullptr;
    view->internal = hold.release();
    Py_INCREF(self);
    view->obj = self;
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

}  // namespace crossdock::bind
