#include "errors.h"

#include <cxxabi.h>

#include <new>
#include <string>

#include "crossdock/runtime/error.h"
#include "gil.h"

namespace nb = nanobind;

namespace crossdock::bind {

namespace {

nb::str text(const std::string& string) { return nb::str(string.data(), string.size()); }

// crossdock.errors.<name>(message, **facts) as the current Python error.
void raise_ours(const char* name, const Error& error, const nb::dict& facts = nb::dict()) {
  const nb::object type = nb::module_::import_("crossdock.errors").attr(name);
  const nb::object value = type(nb::str(error.what()), **facts);
  PyErr_SetObject(type.ptr(), value.ptr());
}

nb::dict device_facts(const DeviceError& error) {
  nb::dict facts;
  if (!error.device.empty()) facts["device"] = text(error.device);
  return facts;
}

nb::object known(std::int64_t nbytes) { return nbytes < 0 ? nb::none() : nb::object(nb::int_(nbytes)); }

void raise(const DeviceUnavailableError& error) {
  nb::dict facts = device_facts(error);
  facts["reason"] = text(error.reason);
  facts["count"] = known(error.count);
  raise_ours("DeviceUnavailableError", error, facts);
}

void raise(const MixedDevicesError& error) {
  nb::list arguments;
  for (const auto& [position, device] : error.arguments) arguments.append(nb::make_tuple(position, text(device)));
  nb::dict facts;
  facts["arguments"] = arguments;
  raise_ours("MixedDevicesError", error, facts);
}

void raise(const OutOfMemoryError& error) {
  nb::dict facts = device_facts(error);
  facts["requested"] = known(error.requested);
  facts["free"] = known(error.free);
  facts["pooled"] = known(error.pooled);
  raise_ours("OutOfMemoryError", error, facts);
}

const char* class_of(AsyncDeviceError::Cause cause) {
  switch (cause) {
    case AsyncDeviceError::Cause::linalg:
      return "AsyncLinAlgError";
    case AsyncDeviceError::Cause::index:
      return "AsyncIndexError";
    default:
      return "AsyncDeviceError";
  }
}

void raise(const AsyncDeviceError& error) {
  nb::dict facts = device_facts(error);
  facts["op"] = text(error.op);
  raise_ours(class_of(error.cause), error, facts);
}

void raise(const SpecError& error) {
  nb::dict facts;
  facts["spec"] = text(error.spec);
  nb::list known;
  for (const std::string& kind : error.known) known.append(text(kind));
  facts["known"] = nb::tuple(known);
  if (!error.nearest.empty()) facts["nearest"] = text(error.nearest);
  raise_ours("SpecError", error, facts);
}

void translate() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {  // Python has ended this thread, in a call of ours
    sleep_for_good();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const SpecError& error) {
    raise(error);
  } catch (const DeviceUnavailableError& error) {
    raise(error);
  } catch (const MixedDevicesError& error) {
    raise(error);
  } catch (const OutOfMemoryError& error) {
    raise(error);
  } catch (const AsyncDeviceError& error) {
    raise(error);
  } catch (const DeviceError& error) {
    raise_ours("DeviceError", error, device_facts(error));
  } catch (const DtypeError& error) {
    raise_ours("DtypeError", error);
  } catch (const DimensionError& error) {
    raise_ours("DimensionError", error);
  } catch (const LinAlgError& error) {
    raise_ours("LinAlgError", error);
  } catch (const ReadOnlyError& error) {
    raise_ours("ReadOnlyError", error);
  } catch (const CopyRequiredError& error) {
    raise_ours("CopyRequiredError", error);
  } catch (const ExchangeError& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  } catch (const IndexError& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const TypeError& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const ValueError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const OverflowError& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const NotImplementedError& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_RuntimeError,
                    error.what());
  } catch (const std::bad_alloc&) {
    raise(OutOfMemoryError("out of memory on the host: no room for the core's own bookkeeping or for scratch space",
                           "native:0", -1, -1, -1));
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an exception of an unknown kind");
  }
}

}  // namespace

void set_python_error() noexcept {
  try {
    translate();
  } catch (nb::python_error& error) {  // building the error failed: that failure is the error
    error.restore();
  } catch (...) {
    PyErr_NoMemory();
  }
}

void register_error_translation() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    if (!pointer) sleep_for_good();  // no exception: Python has ended this thread, in a call of ours
    try {
      std::rethrow_exception(pointer);
    } catch (const Error&) {
      set_python_error();
    } catch (const std::bad_alloc&) {
      set_python_error();
    }
  });
}

}  // namespace crossdock::bind
