// Array libraries that hand their tensors over by DLPack's table of C functions, as PyTorch does.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "borrow.h"
#include "convert.h"
#include "crossdock/array/dlpack.h"
#include "crossdock/runtime/error.h"
#include "exchange_table.h"
#include "operators.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// An attribute of a type, looked up beforehand: a property, or a method that takes no arguments.
class Attribute {
 public:
  explicit Attribute(nb::handle descriptor)
      : descriptor_(nb::borrow(descriptor)),
        get_(PyCallable_Check(descriptor.ptr())
                 ? nullptr
                 : reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(descriptor.ptr()), Py_tp_descr_get))) {
    if (!get_ && !PyCallable_Check(descriptor.ptr())) {
      throw TypeError("takes properties and methods of a type, not " + text_of(nb::repr(descriptor)));
    }
  }

  nb::object of(PyObject* object) const {
    PyObject* value = get_ ? get_(descriptor_.ptr(), object, reinterpret_cast<PyObject*>(Py_TYPE(object)))
                           : PyObject_Vectorcall(descriptor_.ptr(), &object, 1, nullptr);
    if (!value) throw nb::python_error();
    return nb::steal(value);
  }
  bool is_false(PyObject* object) const { return of(object).ptr() == Py_False; }

 private:
  nb::object descriptor_;
  descrgetfunc get_;
};

std::vector<Attribute> attributes_of(nb::handle sequence) {
  std::vector<Attribute> attributes;
  for (nb::handle each : nb::borrow<nb::object>(sequence)) attributes.emplace_back(each);
  return attributes;
}

// What a library's arrays are asked before they are read; see `table_reader` in crossdock.core.exchange.
struct Questions {
  nb::dict globals;  // which must have `quiet` under `key`
  nb::object key, quiet;
  std::vector<Attribute> unless_graph, unless_kind, unless_complex;
  Attribute memory, address, nbytes, may_move, pin;
};

// Where the answers lie in the library's own objects: offsets in bytes; see `Layout` there.
struct Layout {
  std::size_t tensor, keys, graph, memory;
  std::size_t address, nbytes, may_move;
  std::uint64_t plain;
};

template <class T>
T at(const void* object, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof value);
  return value;
}

std::uintptr_t number(const Attribute& attribute, const nb::object& object) {
  const auto value = PyLong_AsUnsignedLongLong(attribute.of(object.ptr()).ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return static_cast<std::uintptr_t>(value);
}

Layout layout_of(nb::handle layout) {
  const auto offset = [&](const char* name) { return nb::cast<std::size_t>(layout.attr(name)); };
  return {offset("tensor"),  offset("keys"),   offset("graph"),    offset("memory"),
          offset("address"), offset("nbytes"), offset("may_move"), nb::cast<std::uint64_t>(layout.attr("plain"))};
}

// For libraries whose arrays are all writable: a borrowed tensor cannot say otherwise.
class TableReader final : public Reader {
 public:
  TableReader(nb::object type, const dlpack::ExchangeTable& table, Questions questions, std::optional<Layout> layout)
      : type_(std::move(type)), table_(table), ask_(std::move(questions)), layout_(layout) {}

  const Array* read(PyObject* object, Device& host, std::optional<Array>& room) override {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != type_.ptr()) return nullptr;
    const void* plain = plain_tensor(object);
    if (!(plain && !at<const void*>(plain, layout_->graph)) && in_graph(object)) return nullptr;
    if (!plain && !all_false(ask_.unless_kind, object)) return nullptr;
    nb::object memory = ask_.memory.of(object);
    const void* block = plain ? at<const void*>(plain, layout_->memory) : nullptr;
    if (may_move(block, memory)) {
      ask_.pin.of(object);
      if (may_move(block, memory)) return nullptr;
    }
    dlpack::Tensor tensor{};
    if (table_.borrow(object, &tensor) != 0 || tensor.device.type != dlpack::kCpu) return nullptr;
    if (!plain && tensor.dtype.code == dlpack::kComplex && !all_false(ask_.unless_complex, object)) return nullptr;
    const std::uintptr_t begin = block ? at<std::uintptr_t>(block, layout_->address) : number(ask_.address, memory);
    const std::uintptr_t nbytes = block ? at<std::uintptr_t>(block, layout_->nbytes) : number(ask_.nbytes, memory);
    dlpack::View view(tensor, false);
    if (repeats(view) || !lies_in(view, begin, nbytes)) return nullptr;
    return &room.emplace(hold(host, view.data, view.nbytes, std::move(memory)), view.data, view.dtype,
                         std::move(view.shape), std::move(view.strides), false);
  }

 private:
  // The tensor of an array that is nothing but strided memory, as its keys tell. Null: unknown.
  const void* plain_tensor(PyObject* object) const noexcept {
    const void* tensor = layout_ ? at<const void*>(object, layout_->tensor) : nullptr;
    return tensor && at<std::uint64_t>(tensor, layout_->keys) == layout_->plain ? tensor : nullptr;
  }
  bool in_graph(PyObject* object) const {
    return PyDict_GetItemWithError(ask_.globals.ptr(), ask_.key.ptr()) != ask_.quiet.ptr() ||
           !all_false(ask_.unless_graph, object);
  }
  bool may_move(const void* block, const nb::object& memory) const {
    return block ? at<std::uint8_t>(block, layout_->may_move) != 0 : !ask_.may_move.is_false(memory.ptr());
  }
  static bool all_false(const std::vector<Attribute>& attributes, PyObject* object) {
    for (const Attribute& attribute : attributes) {
      if (!attribute.is_false(object)) return false;
    }
    return true;
  }
  // Such arrays count as read-only.
  static bool repeats(const dlpack::View& view) {
    for (int i = 0; i < view.shape.size(); ++i) {
      if (view.strides[i] == 0 && view.shape[i] > 1) return true;
    }
    return false;
  }
  // A memory that was made smaller after the array can no longer hold it.
  static bool lies_in(const dlpack::View& view, std::uintptr_t begin, std::uintptr_t nbytes) {
    if (view.nbytes == 0) return true;
    return view.begin >= begin && view.nbytes <= nbytes && view.begin - begin <= nbytes - view.nbytes;
  }

  nb::object type_;
  const dlpack::ExchangeTable& table_;
  Questions ask_;
  std::optional<Layout> layout_;
};

// What arrays of a library can be; see PlaceFacts.
struct Limits {
  bool readonly, negative_strides, odd_strides;
  std::uint32_t dtypes;  // a bit for each

  bool allow(const Array& array) const {
    if (!(dtypes >> static_cast<int>(array.dtype()) & 1) || (array.readonly() && !readonly)) return false;
    for (int i = 0; i < array.ndim() && array.size() != 0; ++i) {
      if (array.shape()[i] < 2) continue;
      const std::int64_t step = array.strides()[i];
      if ((step < 0 && !negative_strides) || (step % array.itemsize() != 0 && !odd_strides)) return false;
    }
    return true;
  }
};

class TableWriter final : public Writer {
 public:
  TableWriter(nb::object type, const dlpack::ExchangeTable& table, const Limits& limits)
      : type_(std::move(type)), table_(table), limits_(limits) {}

  bool keeps(PyObject*) override { return false; }  // only the reader knows whether it travels
  PyObject* write(PyObject* source, const Array& array, std::optional<Array>&) override {
    const auto* type = reinterpret_cast<PyTypeObject*>(type_.ptr());
    if (PyObject_TypeCheck(source, const_cast<PyTypeObject*>(type))) {
      Py_INCREF(source);
      return source;
    }
    if (!limits_.allow(array)) return nullptr;
    void* out = nullptr;
    if (table_.to_object(dlpack::export_versioned(array, false), &out) != 0 || !out) return nullptr;
    auto* made = static_cast<PyObject*>(out);
    if (Py_TYPE(made) == type) return made;
    Py_DECREF(made);
    return nullptr;
  }

 private:
  nb::object type_;
  const dlpack::ExchangeTable& table_;
  Limits limits_;
};

}  // namespace

void define_table_port(nb::module_& m) {
  m.def(
      "_table_reader",
      [](nb::object type, nb::dict globals, nb::object key, nb::object quiet, nb::handle unless_graph,
         nb::handle unless_kind, nb::handle unless_complex, nb::handle memory, nb::handle address, nb::handle nbytes,
         nb::handle may_move, nb::handle pin, nb::handle layout) -> Reader* {
        const dlpack::ExchangeTable* table = table_of(type);
        if (!table || !table->borrow) return nullptr;
        return new TableReader(std::move(type), *table,
                               {std::move(globals), std::move(key), std::move(quiet), attributes_of(unless_graph),
                                attributes_of(unless_kind), attributes_of(unless_complex), Attribute(memory),
                                Attribute(address), Attribute(nbytes), Attribute(may_move), Attribute(pin)},
                               layout.is_none() ? std::nullopt : std::optional(layout_of(layout)));
      },
      "array_type"_a, nb::kw_only(), "globals"_a, "key"_a, "quiet"_a, "unless_graph"_a, "unless_kind"_a,
      "unless_complex"_a, "memory"_a, "address"_a, "nbytes"_a, "may_move"_a, "pin"_a, "layout"_a.none(),
      nb::rv_policy::take_ownership,
      nb::sig("def _table_reader(array_type: type, *, globals: dict[str, typing.Any], key: str, quiet: object, "
              "unless_graph: collections.abc.Iterable[typing.Any], unless_kind: collections.abc.Iterable[typing.Any], "
              "unless_complex: collections.abc.Iterable[typing.Any], memory: typing.Any, address: typing.Any, "
              "nbytes: typing.Any, may_move: typing.Any, pin: typing.Any, layout: typing.Any) -> _Reader | None"),
      "Reads arrays of a type by its DLPack exchange table; None if it has none that can be used.");
  m.def(
      "_table_writer",
      [](nb::object type, bool readonly, bool negative_strides, bool odd_strides, nb::handle dtypes) -> Writer* {
        const dlpack::ExchangeTable* table = table_of(type);
        if (!table) return nullptr;
        const Limits limits{readonly, negative_strides, odd_strides, bits_of(dtypes)};
        return new TableWriter(std::move(type), *table, limits);
      },
      "array_type"_a, nb::kw_only(), "readonly"_a, "negative_strides"_a, "odd_strides"_a, "dtypes"_a,
      nb::rv_policy::take_ownership,
      nb::sig("def _table_writer(array_type: type, *, readonly: bool, negative_strides: bool, odd_strides: bool, "
              "dtypes: collections.abc.Iterable[str]) -> _Writer | None"),
      "Makes arrays of a type in host memory by its DLPack exchange table; None if it has none that can be used.");
}

}  // namespace crossdock::bind
