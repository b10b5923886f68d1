#include "port.h"

#include "convert.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

class CoreReader final : public Reader {
 public:
  const Array* read(PyObject* object, Device&, std::optional<Array>&) override {
    const Array* array = array_or_null(object);
    return array && array->device().is_host() ? array : nullptr;
  }
};

class CoreWriter final : public Writer {
 public:
  explicit CoreWriter(Device& device) : device_(device) {}
  Device& host() override { return device_; }
  bool keeps(PyObject* object) override {
    const Array* array = array_or_null(object);
    return array && &array->device() == &device_;
  }
  PyObject* write(PyObject*, const Array&, std::optional<Array>& room) override {
    return room && device_.is_host() ? to_python_raw(*std::move(room)) : nullptr;
  }

 private:
  Device& device_;
};

}  // namespace

Device& Writer::host() {
  static Device& host = find_device("native:0");
  return host;
}

std::uint32_t bits_of(nb::handle dtype_names) {
  static_assert(kDtypeCount <= 32);
  std::uint32_t bits = 0;
  for (nb::handle name : nb::borrow<nb::object>(dtype_names)) {
    if (const auto dtype = find_dtype(text_of(name))) bits |= 1u << static_cast<int>(*dtype);
  }
  return bits;
}

PyObject* holder_of(PyObject* source, std::optional<Array>& room) {
  if (room) return to_python_raw(*std::move(room));
  Py_INCREF(source);
  return source;
}

void define_ports(nb::module_& m) {
  nb::class_<Reader>(m, "_Reader", "How arrays of one type are read without a plan.");
  nb::class_<Writer>(m, "_Writer", "How arrays of one place are made without a plan.");
  m.def(
      "_core_reader", []() -> Reader* { return new CoreReader; }, nb::rv_policy::take_ownership,
      "Reads the core's arrays.");
  m.def(
      "_core_writer", [](nb::handle device) -> Writer* { return new CoreWriter(device_of(device)); }, "device"_a,
      nb::sig("def _core_writer(device: Device | str) -> _Writer"), nb::rv_policy::take_ownership,
      "Makes arrays on a device of the core, over host memory if it is a host.");
  define_numpy_port(m);
  define_table_port(m);
  define_buffer_port(m);
  define_copy_port(m);
}

}  // namespace crossdock::bind
