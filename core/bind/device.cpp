// class Device, class dtype, and the questions about what is here.
#include "crossdock/runtime/device.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "convert.h"
#include "crossdock/backends/native.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/thread_pool.h"
#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

// Equal to another of ours, to the name, and to numpy's dtype or scalar type of that name in native byte order.
bool dtype_equals(const DtypeObject& self, nb::handle other) {
  DtypeObject ours{};
  if (nb::try_cast<DtypeObject>(other, ours, false)) return ours.dtype == self.dtype;
  if (PyUnicode_Check(other.ptr())) return text_of(other) == name(self.dtype);
  if (is_numpy_scalar_type(other.ptr())) {
    try {
      return dtype_of(other) == self.dtype;
    } catch (const DtypeError&) {  // an abstract type, or one that is not here
      return false;
    }
  }
  if (!is_numpy_dtype(other.ptr())) return false;
  return nb::cast<bool>(other.attr("isnative")) && nb::cast<std::string>(other.attr("name")) == name(self.dtype);
}

// What nanobind says by itself names no way to get one.
PyObject* no_new_dtype(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "dtype: taken by its name, as crossdock.core.float32, not made by its class; functions take the name "
                  "'float32' as well");
  return nullptr;
}

PyObject* no_new_device(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "Device: given by crossdock.core.device, as device('native:0'), not by its class");
  return nullptr;
}

PyType_Slot dtype_slots[] = {{Py_tp_new, reinterpret_cast<void*>(no_new_dtype)}, {0, nullptr}};
PyType_Slot device_slots[] = {{Py_tp_new, reinterpret_cast<void*>(no_new_device)}, {0, nullptr}};

}  // namespace

void define_dtype(nb::module_& m) {
  nb::class_<DtypeObject>(
      m, "dtype", nb::type_slots(dtype_slots), nb::is_final(),
      "A data type of the core. Equal to its name and to NumPy's dtype and scalar type of that name.")
      .def_prop_ro(
          "name", [](const DtypeObject& d) { return name(d.dtype); }, "The name, as 'float32'.")
      .def_prop_ro(
          "itemsize", [](const DtypeObject& d) { return itemsize(d.dtype); }, "Bytes of one element.")
      .def_prop_ro(
          "kind",
          [](const DtypeObject& d) {
            static constexpr const char* kWords[] = {"bool",          "signed integer",   "unsigned integer",
                                                     "real floating", "complex floating", "storage"};
            return kWords[static_cast<int>(kind(d.dtype))];
          },
          "As the array API standard names it; 'storage' for types that are copied and cast only.")
      .def_prop_ro(
          "numpy_dtype",
          [](const DtypeObject& d) {
            return nb::module_::import_("crossdock.core._dtypes").attr("to_numpy")(nb::str(name(d.dtype).data()));
          },
          nb::sig("def numpy_dtype(self) -> numpy.dtype[typing.Any]"),
          "NumPy's dtype; ml_dtypes has those that NumPy lacks.")
      .def_prop_ro(
          "__numpy_dtype__", [](nb::handle self) { return self.attr("numpy_dtype"); },
          nb::sig("def __numpy_dtype__(self) -> numpy.dtype[typing.Any]"), "NumPy's dtype, for ``numpy.dtype(x)``.")
      .def_prop_ro(
          "dtype", [](nb::handle self) { return self.attr("numpy_dtype"); },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"),
          "NumPy's dtype, for ``numpy.dtype(x)`` before NumPy 2.4.")
      .def("__eq__", &dtype_equals, nb::arg().none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__ne__", [](const DtypeObject& d, nb::handle other) { return !dtype_equals(d, other); }, nb::arg().none(),
          nb::sig("def __ne__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const DtypeObject& d) { return nb::hash(nb::str(name(d.dtype).data())); },
          nb::sig("def __hash__(self) -> int"))
      .def("__str__", [](const DtypeObject& d) { return name(d.dtype); })
      .def("__repr__", [](const DtypeObject& d) { return "crossdock.core." + std::string(name(d.dtype)); })
      .def(
          "__reduce__",
          [](const DtypeObject& d) {
            return nb::make_tuple(nb::module_::import_("crossdock.core._pickle").attr("rebuild_dtype"),
                                  nb::make_tuple(nb::str(name(d.dtype).data())));
          },
          nb::sig("def __reduce__(self) -> typing.Any"));
  m.def(
      "_dtype", [](nb::handle object) { return to_python(dtype_of(object)); }, "object"_a,
      nb::sig("def _dtype(object: typing.Any, /) -> dtype"), "The dtype that an object names; DtypeError.");
}

void define_device(nb::module_& m) {
  nb::class_<Device>(m, "Device", nb::type_slots(device_slots), nb::is_final(),
                     "A device of the core. Made by `device`; one object for each place.")
      .def_prop_ro(
          "kind", [](const Device& d) { return d.backend().name(); }, "'native', 'cuda' or 'sim'.")
      .def_prop_ro("index", &Device::index, "Number among the devices of its kind.")
      .def_prop_ro(
          "physical", [](const Device& d) { return d.physical(); },
          "Which memory: devices with the same word exchange arrays without a copy.")
      .def_prop_ro("is_host", &Device::is_host, "Whether the host may touch its memory.")
      .def_prop_ro(
          "dlpack_device", [](const Device& d) { return nb::make_tuple(d.dlpack_type(), d.dlpack_id()); },
          nb::sig("def dlpack_device(self) -> tuple[int, int]"), "(device type, device id) as DLPack counts them.")
      .def("synchronize", &Device::synchronize, nb::call_guard<Unlocked>(),
           "Waits for all work; raises AsyncDeviceError, also of the class of its cause, when some of it has failed.")
      .def(
          "memory_info",
          [](Device& d) {
            const MemoryInfo info = d.memory_info();
            return nb::module_::import_("crossdock.core._memory_info")
                .attr("MemoryInfo")(info.free, info.total, info.used, info.pooled);
          },
          nb::sig("def memory_info(self) -> typing.Any"), "`MemoryInfo`: free, total, used and pooled bytes.")
      .def(
          "_trim", [](Device& d) { d.allocator().trim(); }, nb::call_guard<Unlocked>(), "Gives cached blocks back.")
      .def(
          "_set_limit", [](Device& d, std::int64_t nbytes) { d.allocator().set_limit(nbytes); }, "nbytes"_a,
          "Bounds used and pooled bytes together; 0 for no bound.")
      .def("__str__", [](const Device& d) { return d.spec(); })
      .def("__repr__", [](const Device& d) { return "<crossdock.core.Device '" + d.spec() + "'>"; })
      .def(
          "__eq__",
          [](const Device& d, nb::handle other) {
            return nb::isinstance<Device>(other) && &nb::cast<Device&>(other) == &d;
          },
          nb::arg().none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Device& d) { return static_cast<Py_ssize_t>(std::hash<std::string>()(d.spec())); })
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __copy__(self) -> Device"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: typing.Any, /) -> Device"))
      .def(
          "__reduce__",
          [](const Device& d) {
            return nb::make_tuple(nb::module_::import_("crossdock.core._pickle").attr("rebuild_device"),
                                  nb::make_tuple(d.spec()));
          },
          nb::sig("def __reduce__(self) -> typing.Any"));
  m.def(
      "device", [](nb::handle spec) { return to_python(device_of(spec)); }, "spec"_a.none(),
      nb::sig("def device(spec: Device | str | None, /) -> Device"),
      R"doc(The device of a spec.

Parameters
----------
spec : Device, str or None
    ``KIND[:INDEX]``, such as 'native:0' or 'sim'; a device; an object with ``core_device``; None for the default one.

Returns
-------
Device
    One object for each place.

Raises
------
SpecError
    Outside the grammar, or for a kind that is not here.
DeviceUnavailableError
    For an index that is not here.
)doc");
  m.def(
      "devices",
      [] {
        nb::list list;
        for (Backend* backend : backends()) {
          for (int i = 0; i < backend->device_count(); ++i) list.append(to_python(backend->device(i)));
        }
        return list;
      },
      nb::sig("def devices() -> list[Device]"), R"doc(All devices of the core that are here.

Returns
-------
list of Device
    By kind and index.
)doc");
  m.def(
      "device_counts",
      [] {
        nb::dict counts;
        for (Backend* backend : backends()) counts[backend->name().c_str()] = backend->device_count();
        return counts;
      },
      nb::sig("def device_counts() -> dict[str, int]"), R"doc(How many devices of each kind there are; starts nothing.

Returns
-------
dict of str to int
    By kind, 'native' first.
)doc");
  m.def(
      "_drain",
      [] {
        std::vector<std::string> untold;
        {
          const Unlocked unlocked;
          for (Backend* backend : backends()) std::ranges::move(backend->drain(), std::back_inserter(untold));
        }
        nb::list lines;
        for (const std::string& line : untold) lines.append(nb::str(line.data(), line.size()));
        return lines;
      },
      nb::sig("def _drain() -> list[str]"),
      "Waits for all devices that have been used. Returns the failures on them that nobody has been told. An interrupt "
      "drops what has not begun.");
  m.def("get_num_threads", &num_threads, R"doc(How many threads work on one operation.

Returns
-------
int
    The caller included: what `set_num_threads` has set, else CROSSDOCK_NUM_THREADS, else OMP_NUM_THREADS, else the
    CPUs that this process may use.
)doc");
  m.def("set_num_threads", &set_num_threads, "count"_a,
        R"doc(Sets how many threads work on one operation, in all of the process.

Parameters
----------
count : int
    1 to 1024, the caller included.

Raises
------
ValueError
    For another count.
)doc");
  m.def("_cpu_level", &native::cpu_level, "The instruction set level that was chosen.");
  m.def("_blas_name", [] { return native::blas_name(); }, "The BLAS in use; loads it.");
  m.def("_set_blas_path", &native::set_blas_path, "path"_a, "Where to find scipy-openblas.");
}

}  // namespace crossdock::bind
