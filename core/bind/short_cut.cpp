// class _ShortCut: a method in Python with compiled short cuts for the calls that need no thought.
#include <nanobind/nanobind.h>
#include <structmember.h>

#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "errors.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// What two objects have to be for a short cut: this receiver, and an argument of exactly this type.
struct Key {
  PyObject* receiver;
  PyTypeObject* type;
  bool operator==(const Key&) const = default;
};
struct Hash {
  std::size_t operator()(const Key& key) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(key.receiver) >> 4) * 31 +
           (reinterpret_cast<std::uintptr_t>(key.type) >> 4);
  }
};
// Both ends, or null where there is no short cut. `held` keeps them, and the objects of the key, alive.
struct Route {
  Reader* reader = nullptr;
  Writer* writer = nullptr;
  nb::object held;
};
class Routes {
 public:
  const Route* find(const Key& key) noexcept {
    const auto& slot = recent_[Hash()(key) % kRecent];
    if (slot && slot->first == key) return &slot->second;
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : remember(*found);
  }
  void add(const Key& key, const Route& route) { remember(*all_.try_emplace(key, route).first); }
  auto begin() const noexcept { return all_.begin(); }
  auto end() const noexcept { return all_.end(); }

 private:
  using All = std::unordered_map<Key, Route, Hash>;
  static constexpr std::size_t kRecent = 16;

  const Route* remember(const All::value_type& found) noexcept {
    recent_[Hash()(found.first) % kRecent] = &found;  // where it stays as long as it is there
    return &found.second;
  }

  All all_;
  std::array<const All::value_type*, kRecent> recent_{};
};

struct ShortCut {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;    // the method, for all other calls
  PyObject* find;        // find(receiver, type): (reader, writer), (None, None), or None for one not to be remembered
  PyObject* bind;        // types.MethodType
  PyObject* attributes;  // __dict__
  PyObject* references;  // weak ones
  Routes* routes;
};

ShortCut& cut_of(PyObject* self) { return *reinterpret_cast<ShortCut*>(self); }

// Asks once for each receiver and type. By value: what runs afterwards may forget the route.
Route look_up(ShortCut& cut, PyObject* receiver, PyObject* argument) {
  const Key key{receiver, Py_TYPE(argument)};
  if (const Route* found = cut.routes->find(key)) return *found;
  const nb::handle type(reinterpret_cast<PyObject*>(key.type));
  if (!cut.find) return {};  // the garbage collector was here
  const nb::object ends = nb::borrow(cut.find)(nb::handle(receiver), type);
  if (ends.is_none()) return {};
  const nb::object reader = ends[0], writer = ends[1];
  Route route{nullptr, nullptr, nb::make_tuple(nb::handle(receiver), type, ends)};
  if (!reader.is_none() && !writer.is_none()) {
    route.reader = nb::cast<Reader*>(reader);
    route.writer = nb::cast<Writer*>(writer);
  }
  cut.routes->add(key, route);
  return route;
}

// Whether an array of bools, if it is one, is known to have no bytes but 0 and 1, as libraries other than NumPy take
// for granted. The general path finds out about large and scattered ones.
bool has_true_bools(const Array& array) {
  constexpr std::int64_t kFew = 1 << 12;
  if (array.dtype() != Dtype::bool_ || array.size() == 0) return true;
  if (array.size() > kFew || !array.is_c_contiguous()) return false;
  unsigned all = 0;
  for (std::int64_t i = 0; i < array.size(); ++i) all |= std::to_integer<unsigned>(array.data()[i]);
  return all <= 1;
}

// Forgets an error that has been set, unless it is an interrupt or the like.
void forgive() noexcept {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
}

// A new reference, or null where the method must be called: it will meet an error again, and say it well.
PyObject* try_short(ShortCut& cut, PyObject* receiver, PyObject* argument) noexcept {
  try {
    const Route route = look_up(cut, receiver, argument);
    if (!route.reader) return nullptr;
    if (route.writer->keeps(argument)) {
      Py_INCREF(argument);
      return argument;
    }
    std::optional<Array> room;
    const Array* array = route.reader->read(argument, route.writer->host(), room);
    return array && has_true_bools(*array) ? route.writer->write(argument, *array, room) : nullptr;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
  }
  return nullptr;
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  ShortCut& cut = cut_of(self);
  if (PyVectorcall_NARGS(flags) == 2 && !names) {
    if (PyObject* made = try_short(cut, arguments[0], arguments[1])) return made;
    forgive();
    if (PyErr_Occurred()) return nullptr;
  }
  return PyObject_Vectorcall(cut.function, arguments, flags, names);
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject *function = nullptr, *find = nullptr;
  if (!PyArg_UnpackTuple(arguments, "_ShortCut", 2, 2, &function, &find)) return nullptr;
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    nb::object bind = nb::module_::import_("types").attr("MethodType");
    auto routes = std::make_unique<Routes>();
    const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* self = allocate(type, 0);
    if (!self) throw nb::python_error();
    ShortCut& cut = cut_of(self);
    cut.vectorcall = call;
    cut.function = nb::borrow(function).release().ptr();
    cut.find = nb::borrow(find).release().ptr();
    cut.bind = bind.release().ptr();
    cut.routes = routes.release();
    return self;
  });
}

PyObject* get(PyObject* self, PyObject* receiver, PyObject*) {
  if (receiver && receiver != Py_None) {
    return PyObject_CallFunctionObjArgs(cut_of(self).bind, self, receiver, nullptr);
  }
  Py_INCREF(self);
  return self;
}

PyObject* represent(PyObject* self) { return PyObject_Repr(cut_of(self).function); }

// By its name, as functions are.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* forget(PyObject* self, PyObject*) {
  Routes gone;  // freeing what they hold may run Python
  std::swap(gone, *cut_of(self).routes);
  Py_RETURN_NONE;
}

PyObject* each(PyObject* self, PyObject* arguments) {
  PyObject *receiver = nullptr, *list = nullptr;
  if (!PyArg_UnpackTuple(arguments, "each", 2, 2, &receiver, &list)) return nullptr;
  return guarded<PyObject*>(nullptr, [&] {
    if (!PyList_Check(list)) throw TypeError("each: takes a receiver and a list");
    nb::list made;
    // The short cuts may run Python, which may change the list.
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      const nb::object argument = nb::borrow(PyList_GetItem(list, i));
      PyObject* short_way = try_short(cut_of(self), receiver, argument.ptr());
      if (!short_way) {
        forgive();
        if (PyErr_Occurred()) throw nb::python_error();
      }
      made.append(short_way ? nb::steal(short_way) : nb::none());
    }
    return made.release().ptr();
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  ShortCut& cut = cut_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cut.function);
  Py_VISIT(cut.find);
  Py_VISIT(cut.bind);
  Py_VISIT(cut.attributes);
  for (const auto& [key, route] : *cut.routes) Py_VISIT(route.held.ptr());
  return 0;
}

int clear(PyObject* self) {
  ShortCut& cut = cut_of(self);
  Routes gone;
  std::swap(gone, *cut.routes);
  Py_CLEAR(cut.find);
  Py_CLEAR(cut.attributes);
  return 0;  // function and bind stay: the object can still be called
}

void free(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyObject_ClearWeakRefs(self);
  ShortCut& cut = cut_of(self);
  clear(self);
  Py_CLEAR(cut.function);
  Py_CLEAR(cut.bind);
  delete cut.routes;
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ShortCut, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ShortCut, references), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(ShortCut, attributes), READONLY, nullptr},
    {},
};
PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyMethodDef methods[] = {
    {"forget", forget, METH_NOARGS, "Forgets all short cuts, which are then asked for again."},
    {"each", each, METH_VARARGS, "each(receiver, list): for each object what its short cut makes, None without one."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("A method with compiled short cuts.")},
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(get)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"crossdock.core._core._ShortCut", sizeof(ShortCut), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

void define_short_cut(nb::module_& m) {
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  m.attr("_ShortCut") = nb::steal(type);
}

}  // namespace crossdock::bind
