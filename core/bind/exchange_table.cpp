#include "exchange_table.h"

#include "convert.h"
#include "crossdock/runtime/error.h"
#include "errors.h"

namespace crossdock::bind {

namespace {

constexpr const char* kAttribute = "__dlpack_c_exchange_api__";
constexpr const char* kCapsule = "dlpack_exchange_api";
constexpr int kLongestChain = 16;  // one that goes round must end too

bool can_be_used(const dlpack::ExchangeTable& table) {
  return table.allocate && table.from_object && table.to_object && table.current_stream;
}

const Array& ours(void* object) { return array_of(nb::handle(static_cast<PyObject*>(object)), "DLPack"); }

int allocate(dlpack::Tensor* prototype, dlpack::ManagedVersioned** out, void* context, dlpack::SetError set_error) {
  *out = nullptr;
  try {
    *out = dlpack::export_versioned(dlpack::allocate(*prototype), false);
    return 0;
  } catch (const OutOfMemoryError& error) {
    set_error(context, "MemoryError", error.what());
  } catch (const std::bad_alloc&) {
    set_error(context, "MemoryError", "out of memory");
  } catch (const std::exception& error) {
    set_error(context, "BufferError", error.what());
  }
  return -1;
}

int from_object(void* object, dlpack::ManagedVersioned** out) {
  *out = nullptr;
  return guarded(-1, [&] {
    *out = dlpack::export_versioned(ours(object), false);
    return 0;
  });
}

int to_object(dlpack::ManagedVersioned* tensor, void** out) {
  *out = nullptr;
  return guarded(-1, [&] {
    if (!tensor) throw ExchangeError("DLPack: no tensor");
    *out = to_python_raw(dlpack::import_versioned(tensor));
    return 0;
  });
}

int borrow(void* object, dlpack::Tensor* out) {
  return guarded(-1, [&] {
    *out = dlpack::borrow(ours(object));
    return 0;
  });
}

// Work is in order on each device's default stream, which on CUDA is the legacy one: both are told by null.
int current_stream(std::int32_t, std::int32_t, void** out) {
  *out = nullptr;
  return 0;
}

}  // namespace

const dlpack::ExchangeTable* table_of(nb::handle type) {
  const nb::object capsule = nb::getattr(type, kAttribute, nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), kCapsule)) return nullptr;
  auto* header = static_cast<dlpack::ExchangeHeader*>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  for (int i = 0; header && i < kLongestChain; ++i, header = header->older) {
    const auto [major, minor] = header->version;
    if (major != dlpack::kMajor || minor < dlpack::kFirstWithTable) continue;
    const auto* table = reinterpret_cast<const dlpack::ExchangeTable*>(header);
    return can_be_used(*table) ? table : nullptr;
  }
  return nullptr;
}

nb::object table_of_ours() {
  static dlpack::ExchangeTable table{
      {{dlpack::kMajor, dlpack::kMinor}, nullptr}, allocate, from_object, to_object, borrow, current_stream};
  PyObject* capsule = PyCapsule_New(&table, kCapsule, nullptr);
  if (!capsule) throw nb::python_error();
  return nb::steal(capsule);
}

}  // namespace crossdock::bind
