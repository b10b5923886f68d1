#include "dlpack.h"

#include <cstring>
#include <string>

#include "convert.h"
#include "crossdock/array/dlpack.h"
#include "crossdock/ops/copy.h"
#include "crossdock/runtime/error.h"
#include "gil.h"

namespace crossdock::bind {

namespace {

constexpr const char* kLegacy = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

// A capsule nobody consumed frees its tensor; a consumer has renamed it.
template <class Struct>
void drop(PyObject* capsule, const char* name) noexcept {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* tensor = static_cast<Struct*>(PyCapsule_GetPointer(capsule, name));
  if (tensor->deleter) tensor->deleter(tensor);
}

std::string text(nb::handle object) { return text_of(nb::repr(object)); }

std::pair<int, int> pair_of(nb::handle object, const char* what) {
  std::pair<int, int> pair;
  if (!nb::try_cast(object, pair)) {
    throw ExchangeError(std::string("__dlpack__: ") + what + " is a pair of integers, not " + text(object));
  }
  return pair;
}

void honour_stream(const Array& array, nb::handle stream) {
  std::optional<std::int64_t> consumer;
  if (!stream.is_none()) {
    std::int64_t number = 0;
    if (!nb::try_cast(stream, number, false)) {
      throw ExchangeError("__dlpack__: stream is None or an integer, not " + text(stream));
    }
    consumer = number;
  }
  if (array.device().is_host()) return array.device().order_before(consumer);
  const Unlocked unlocked;
  array.device().order_before(consumer);
}

// The array on the device asked for: itself, or its values on the host.
Array on_asked_device(const Array& array, nb::handle dl_device, std::optional<bool> copy) {
  if (dl_device.is_none()) return array;
  const auto [type, id] = pair_of(dl_device, "dl_device");
  const Device& here = array.device();
  if (type == here.dlpack_type() && id == here.dlpack_id()) return array;
  if (type != dlpack::kCpu || id != 0) {
    throw ExchangeError("__dlpack__: cannot export from '" + here.spec() + "' to dl_device (" + std::to_string(type) +
                        ", " + std::to_string(id) + "); (" + std::to_string(here.dlpack_type()) + ", " +
                        std::to_string(here.dlpack_id()) + ") and (1, 0) can be asked for");
  }
  if (copy == false) {
    throw CopyRequiredError("__dlpack__: the values are on '" + here.spec() +
                            "' and must be copied to the host, and copy=False forbids it");
  }
  const Unlocked unlocked;
  return to_device(array, find_device("native:0"), {.op = "__dlpack__", .target = "@numpy"});
}

std::optional<bool> copy_of(nb::handle copy) {
  if (copy.is_none()) return std::nullopt;
  if (!PyBool_Check(copy.ptr())) throw ExchangeError("__dlpack__: copy is None, True or False, not " + text(copy));
  return copy.ptr() == Py_True;
}

template <class Struct>
nb::object capsule_of(Struct* tensor, const char* name, PyCapsule_Destructor destructor) {
  PyObject* capsule = PyCapsule_New(tensor, name, destructor);
  if (!capsule) {
    tensor->deleter(tensor);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

// PyTorch hands out the memory of a lazily negated view without a word about the sign.
void refuse_lazy_negation(nb::handle producer) {
  if (!nb::hasattr(producer, "is_neg") || !nb::cast<bool>(producer.attr("is_neg")())) return;
  throw ExchangeError("from_dlpack: the values of this view have yet to be negated; call its resolve_neg() first");
}

// Whether the producer's library gives memory out anew in the order of the stream that our work is on: then it can have
// it back before that is done. JAX and others work on streams of their own, which know nothing of ours.
bool reuses_in_our_order(nb::handle producer) {
  const std::string module = text_of(nb::str(nb::getattr(producer.type(), "__module__", nb::str(""))));
  const std::string root = module.substr(0, module.find('.'));
  return root == "torch" || root == "cupy" || root == "crossdock";
}

// The stream that the core's CUDA devices work on, as DLPack numbers it.
constexpr int kLegacyStream = 1;

bool is_on_cuda(nb::handle producer) {
  if (!nb::hasattr(producer, "__dlpack_device__")) return false;
  const int type = pair_of(producer.attr("__dlpack_device__")(), "__dlpack_device__").first;
  return type == dlpack::kCuda || type == dlpack::kCudaManaged;
}

// Calls producer.__dlpack__ with the newest keywords it takes.
nb::object ask(nb::handle producer, nb::handle copy) {
  const nb::object method = producer.attr("__dlpack__");
  nb::dict keywords;
  if (is_on_cuda(producer)) keywords["stream"] = kLegacyStream;
  nb::dict newest;
  newest.update(keywords);
  newest["max_version"] = nb::make_tuple(dlpack::kMajor, dlpack::kMinor);
  if (copy.ptr() == Py_False) newest["copy"] = copy;  // a copy that is wanted is made here
  try {
    return method(**newest);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**keywords);  // a producer from before version 1 knows no others
}

}  // namespace

nb::object to_capsule(const Array& array, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                      nb::handle copy) {
  const std::optional<bool> wants_copy = copy_of(copy);
  const bool versioned = !max_version.is_none() && pair_of(max_version, "max_version").first >= 1;
  honour_stream(array, stream);
  Array out = on_asked_device(array, dl_device, wants_copy);
  bool copied = &out.device() != &array.device();
  if (!copied && (wants_copy == true || (wants_copy != false && !dlpack::can_export(out)))) {
    out = unlocked(out.device(), out.size(), [&] { return crossdock::copy(out); });
    honour_stream(out, stream);
    copied = true;
  }
  if (versioned) {
    return capsule_of(dlpack::export_versioned(out, copied), kVersioned,
                      [](PyObject* capsule) { drop<dlpack::ManagedVersioned>(capsule, kVersioned); });
  }
  return capsule_of(dlpack::export_legacy(out), kLegacy,
                    [](PyObject* capsule) { drop<dlpack::Managed>(capsule, kLegacy); });
}

Array from_producer(nb::handle producer, nb::handle copy) {
  if (!nb::hasattr(producer, "__dlpack__")) {
    throw TypeError("from_dlpack: takes an object with __dlpack__, not " + text(producer));
  }
  refuse_lazy_negation(producer);
  const nb::object capsule = ask(producer, copy);
  const bool after_work = !reuses_in_our_order(producer);
  if (PyCapsule_IsValid(capsule.ptr(), kVersioned)) {
    auto* tensor = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return dlpack::import_versioned(tensor, after_work);
  }
  if (PyCapsule_IsValid(capsule.ptr(), kLegacy)) {
    auto* tensor = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule.ptr(), kLegacy));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    return dlpack::import_legacy(tensor, after_work);
  }
  throw ExchangeError("from_dlpack: __dlpack__ of " +
                      text(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(producer.ptr())))) + " gave " +
                      text(capsule) + ", not a DLPack capsule that can still be consumed");
}

}  // namespace crossdock::bind
