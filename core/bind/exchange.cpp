// The doors that other rooms use: memory in and out, copies with their labels, the transfer hook, the default device.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "borrow.h"
#include "convert.h"
#include "crossdock/array/dlpack.h"
#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"
#include "crossdock/runtime/transfer_hook.h"
#include "dlpack.h"
#include "gil.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

namespace {

Array wrap(nb::object owner, nb::handle dtype, nb::handle device) {
  const Dtype wanted = dtype_of(dtype);
  Device& place = device_of(device);
  if (!place.is_host()) {
    throw DeviceError("host memory cannot be seen by '" + place.spec() + "'; copy it there", place.spec());
  }
  const BufferView view(owner, PyBUF_STRIDES);
  if (view.itemsize != itemsize(wanted)) {
    throw DtypeError("elements of " + std::to_string(view.itemsize) + " bytes are no " + std::string(name(wanted)));
  }
  return borrow(view, std::move(owner), wanted, place);
}

// What the Python hook gave for a transfer under way: its attributes say afterwards how that went. Setting them runs no
// code of the user's, which might raise where nobody can catch it.
class Record {
 public:
  explicit Record(nb::object record)
      : record_(record.release().ptr(), drop_reference), began_(std::chrono::steady_clock::now()) {}

  void operator()(bool failed) const noexcept {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    if (!Py_IsInitialized()) return;
    const Locked locked;
    nb::error_scope raised;  // the operation's own error, if it failed
    static PyObject* const kSeconds = PyUnicode_InternFromString("seconds");
    static PyObject* const kFailed = PyUnicode_InternFromString("failed");
    set(kSeconds, PyFloat_FromDouble(taken.count()));
    if (failed) set(kFailed, Py_NewRef(Py_True));
  }

 private:
  void set(PyObject* name, PyObject* value) const noexcept {
    if (!value || PyObject_SetAttr(record_.get(), name, value) < 0) PyErr_WriteUnraisable(record_.get());
    Py_XDECREF(value);
  }

  std::shared_ptr<PyObject> record_;
  std::chrono::steady_clock::time_point began_;
};

// Calls the Python hook; what it raises comes out of the operation that wanted to transfer.
TransferHook hook_of(nb::object function) {
  auto held = std::shared_ptr<PyObject>(function.release().ptr(), drop_reference);
  return [held](Transfer& transfer) {
    const Locked locked;
    const std::array<nb::object, 7> facts{
        nb::cast(transfer.op),       nb::cast(transfer.nbytes), nb::cast(transfer.source), nb::cast(transfer.target),
        nb::cast(transfer.implicit), nb::cast(transfer.host),   nb::cast(transfer.route),
    };
    std::array<PyObject*, facts.size()> arguments;
    std::ranges::transform(facts, arguments.begin(), [](const nb::object& fact) { return fact.ptr(); });
    PyObject* answer =
        unless_ended([&] { return PyObject_Vectorcall(held.get(), arguments.data(), arguments.size(), nullptr); });
    if (!answer) nb::raise_python_error();
    auto record = nb::steal(answer);
    if (!record.is_none()) transfer.end = Record(std::move(record));
  };
}

void copy_labelled(const Array& target, const Array& source, std::optional<std::string> from,
                   std::optional<std::string> to, const std::string& op, bool implicit, bool blocking) {
  const TransferLabel label{op.c_str(), from.value_or(""), to.value_or(""), implicit, blocking};
  const Unlocked unlocked;
  copy_into(target, source, label);
}

// A dtype stands for an array of it, which a strong scalar does as well.
Dtype result_type(nb::handle things) {
  std::vector<Argument> arguments;
  for (nb::handle thing : nb::borrow<nb::tuple>(things)) {
    const Array* array = array_or_null(thing.ptr());
    auto scalar = array ? std::nullopt : scalar_or_null(thing.ptr());
    if (array)
      arguments.emplace_back(array);
    else
      arguments.emplace_back(scalar ? *scalar : Scalar{false, dtype_of(thing)});
  }
  return common_dtype("result_type", arguments);
}

}  // namespace

void define_exchange(nb::module_& m) {
  m.def(
      "_wrap",
      [](nb::object owner, nb::handle dtype, nb::handle device) {
        return to_python(wrap(std::move(owner), dtype, device));
      },
      "owner"_a, "dtype"_a, "device"_a.none(),
      nb::sig("def _wrap(owner: typing.Any, dtype: typing.Any, device: Device | str | None) -> Array"),
      "A view of the memory that ``owner`` shows through the buffer protocol, as elements of ``dtype``.");
  m.def("_copy_into", &copy_labelled, "target"_a, "source"_a, nb::kw_only(), "from_"_a = nb::none(),
        "to"_a = nb::none(), "op"_a = "copy", "implicit"_a = false, "blocking"_a = true,
        "Writes source into target, converting and broadcasting; calls the transfer hook when bytes leave a memory.");
  m.def(
      "_result_type", [](nb::handle things) { return to_python(result_type(things)); }, "things"_a,
      nb::sig("def _result_type(things: tuple[typing.Any, ...]) -> dtype"),
      "The dtype of arithmetic on arrays, dtypes and weak Python numbers.");
  m.def(
      "_set_transfer_hook",
      [](nb::object hook) { set_transfer_hook(hook.is_none() ? TransferHook() : hook_of(std::move(hook))); },
      "hook"_a.none(), "Installs the one transfer hook; None removes it.");
  m.def("_set_default_device", &set_default_device, "function"_a.none(),
        nb::sig("def _set_default_device(function: collections.abc.Callable[[], Device | None] | None, /) -> "
                "collections.abc.Callable[[], Device | None] | None"),
        "Asked by creation functions without device; gives a Device or None. Returns the function before.");
  m.def(
      "from_dlpack",
      [](nb::handle x, nb::handle device, nb::handle copy) {
        if (!copy.is_none() && !PyBool_Check(copy.ptr())) throw TypeError("from_dlpack: copy is None, True or False");
        Array array = from_producer(x, copy);
        Device& place = device.is_none() ? array.device() : device_of(device);
        if (copy.ptr() == Py_False && place.physical() != array.device().physical()) {
          throw CopyRequiredError("from_dlpack: moving from '" + array.device().spec() + "' to '" + place.spec() +
                                  "' takes a copy, and copy=False forbids it");
        }
        const Unlocked unlocked;
        const bool moves = place.physical() != array.device().physical();
        Array out = to_device(array, place);
        return copy.ptr() == Py_True && !moves ? crossdock::copy(out) : out;
      },
      "x"_a.none(), nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
      nb::sig("def from_dlpack(x: typing.Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> "
              "Array"),
      R"doc(An array on the memory of any object with ``__dlpack__``.

Parameters
----------
x : object
    A producer: an array of any library.
device : Device or str, optional
    Where the result is to be; where x is when omitted.
copy : bool, optional
    True: always copy. False: never, CopyRequiredError instead. None: only for a move.

Returns
-------
Array
    A view unless copied. Read-only when the producer says so, or speaks a DLPack version that cannot say otherwise.

Raises
------
BufferError
    For memory, layouts and dtypes that cannot be read; CopyRequiredError is one.
TypeError
    For an object without ``__dlpack__``.

Notes
-----
Array API standard 2024.12, "Creation Functions": ``from_dlpack``.
)doc");
}

}  // namespace crossdock::bind
