// What a call of a compiled function says that does not fit its signature: crossdock.core._arguments, not nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "errors.h"
#include "types.h"

namespace crossdock::bind {

namespace {

constexpr std::size_t kMost = 8;  // nanobind has fewer ways to call a function
std::array<vectorcallfunc, kMost> ways{};

// How nanobind's functions begin. That they do is checked before anything is written.
struct Function {
  PyVarObject base;
  vectorcallfunc vectorcall;
};

nb::object said(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
  nb::list positional;
  for (std::size_t i = 0; i < count; ++i) positional.append(nb::handle(arguments[i]));
  nb::dict named;
  if (names) {
    for (const nb::handle name : nb::borrow<nb::tuple>(names)) named[name] = nb::handle(arguments[count++]);
  }
  return nb::module_::import_("crossdock.core._arguments")
      .attr("explain")(nb::handle(function), nb::tuple(positional), named);
}

// Where the error that is set is nanobind's about the arguments of this very function, sets ours.
[[gnu::cold]] void explain(PyObject* function, PyObject* const* arguments, std::size_t count,
                           PyObject* names) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  try {
    nb::python_error error;  // takes what is set
    const std::string name = nb::cast<std::string>(nb::handle(function).attr("__name__"));
    const std::string text = nb::cast<std::string>(nb::str(error.value()));
    if (!text.starts_with(name + "(): incompatible function arguments.")) {
      error.restore();
      return;
    }
    PyErr_SetObject(PyExc_TypeError, said(function, arguments, count, names).ptr());
  } catch (...) {
    set_python_error();
  }
}

template <std::size_t way>
PyObject* call(PyObject* function, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  PyObject* result = ways[way](function, arguments, flags, names);
  if (!result) [[unlikely]]
    explain(function, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), names);
  return result;
}

template <std::size_t... way>
constexpr std::array<vectorcallfunc, kMost> calls_of(std::index_sequence<way...>) {
  return {call<way>...};
}
constexpr std::array<vectorcallfunc, kMost> calls = calls_of(std::make_index_sequence<kMost>());

void cover(nb::handle object) {
  const std::string type = nb::cast<std::string>(object.type().attr("__name__"));
  if (type != "nb_func" && type != "nb_method") return;
  Function& function = *reinterpret_cast<Function*>(object.ptr());
  // The limited API has no PyVectorcall_Function; this attribute shows what is where the type says the pointer is.
  const auto said = nb::cast<std::uintptr_t>(object.attr("__vectorcalloffset__"));
  const vectorcallfunc original = function.vectorcall;
  if (!original || reinterpret_cast<std::uintptr_t>(original) != said) return;  // another nanobind: its words will do
  for (std::size_t way = 0; way < kMost; ++way) {
    if (!ways[way]) ways[way] = original;
    if (ways[way] != original) continue;
    function.vectorcall = calls[way];
    return;
  }
}

}  // namespace

void explain_arguments(nb::module_& m) {
  for (const auto& [name, value] : nb::cast<nb::dict>(m.attr("__dict__"))) {
    cover(value);
    if (!PyType_Check(value.ptr())) continue;
    for (const nb::handle item : value.attr("__dict__").attr("values")()) cover(item);
  }
}

}  // namespace crossdock::bind
