// Array libraries whose arrays never change and show their host memory through the buffer protocol, as JAX's do.
#include <memory>

#include "borrow.h"
#include "gil.h"
#include "operators.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

std::optional<Dtype> of_size(std::initializer_list<Dtype> dtypes, Py_ssize_t size) noexcept {
  for (Dtype dtype : dtypes) {
    if (itemsize(dtype) == size) return dtype;
  }
  return std::nullopt;
}

// As in the struct module; complex numbers as in PEP 3118. Empty for anything else.
std::optional<Dtype> dtype_of(const Py_buffer& view) noexcept {
  const char* format = view.format;
  if (format && (format[0] == '=' || format[0] == '@')) ++format;  // this machine's byte order
  if (!format || !format[0]) return std::nullopt;
  const bool is_complex = format[0] == 'Z' && format[1];
  if (format[is_complex ? 2 : 1]) return std::nullopt;
  if (is_complex) return of_size({Dtype::complex64, Dtype::complex128}, view.itemsize);
  switch (format[0]) {
    case '?':
      return of_size({Dtype::bool_}, view.itemsize);
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return of_size({Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64}, view.itemsize);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return of_size({Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64}, view.itemsize);
    case 'e':
    case 'f':
    case 'd':
      return of_size({Dtype::float16, Dtype::float32, Dtype::float64}, view.itemsize);
    default:
      return std::nullopt;
  }
}

void give_back(BufferView* view) {
  if (!Py_IsInitialized()) return;
  const Locked locked;
  delete view;
}

class BufferReader final : public Reader {
 public:
  explicit BufferReader(nb::object type) : type_(std::move(type)) {}
  const Array* read(PyObject* object, Device& host, std::optional<Array>& room) override {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != type_.ptr()) return nullptr;
    // The view keeps the memory, also where the array is deleted before it.
    auto view = std::make_unique<BufferView>(object, PyBUF_FULL_RO);
    const auto dtype = dtype_of(*view);
    if (!dtype || !view->readonly || view->suboffsets || view->ndim > kMaxNdim) return nullptr;
    const auto release = [held = view.get()] { give_back(held); };
    const Array& array = room.emplace(borrow(*view, release, *dtype, host));
    view.release();  // the buffer's now
    return &array;
  }

 private:
  nb::object type_;
};

}  // namespace

void define_buffer_port(nb::module_& m) {
  m.def(
      "_buffer_reader", [](nb::object type) -> Reader* { return new BufferReader(std::move(type)); }, "array_type"_a,
      nb::rv_policy::take_ownership, nb::sig("def _buffer_reader(array_type: type) -> _Reader"),
      "Reads arrays of a type, which never change, through the buffer protocol.");
}

}  // namespace crossdock::bind
