// DLPack 1.x: our own declarations of its ABI (https://dmlc.github.io/dlpack/latest/c_api.html), and both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "crossdock/array/array.h"

namespace crossdock::dlpack {

inline constexpr std::uint32_t kMajor = 1, kMinor = 3;  // what we speak
inline constexpr std::uint32_t kFirstWithTable = 3;     // minor version
inline constexpr std::uint8_t kComplex = 5;             // DLDataTypeCode
inline constexpr std::int32_t kCpu = 1, kCuda = 2, kCudaHost = 3, kExtension = 12, kCudaManaged = 13;
inline constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2, kSubbytePadded = 4;

struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;  // may be null when there are no elements
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;        // owned by the producer
  std::int64_t* strides;      // in elements; null means C order (before 1.2)
  std::uint64_t byte_offset;  // from data to the first element
};
struct Managed {  // the legacy capsule, "dltensor"
  Tensor tensor;
  void* context;
  void (*deleter)(Managed* self);  // may be null; called once by whoever consumed it
};
struct Version {
  std::uint32_t major, minor;
};
struct ManagedVersioned {  // the capsule "dltensor_versioned"
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  std::uint64_t flags;
  Tensor tensor;
};

// How a library hands tensors over without Python in between: "dlpack_exchange_api", a capsule on its array type. The
// functions come with the header's major version; those with a Python object are called with the GIL, return 0, and on
// failure -1 with a Python error set.
struct ExchangeHeader {
  Version version;
  ExchangeHeader* older;  // a table of an earlier major version, or null
};
using SetError = void (*)(void* context, const char* kind, const char* message);
struct ExchangeTable {
  ExchangeHeader header;
  // A new tensor with the prototype's device, dtype and shape. Called from any thread; tells its error by SetError.
  int (*allocate)(Tensor* prototype, ManagedVersioned** out, void* error_context, SetError set_error);
  int (*from_object)(void* object, ManagedVersioned** out);  // of exactly the type that has the table
  int (*to_object)(ManagedVersioned* tensor, void** out);    // takes the tensor over in every case
  int (*borrow)(void* object, Tensor* out);                  // good as long as the object; may be null
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** out);  // null for the host
};
static_assert(sizeof(ExchangeHeader) == 16 && sizeof(ExchangeTable) == 56);

static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, device) == 8 && offsetof(Tensor, dtype) == 20 &&
              offsetof(Tensor, shape) == 24 && offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(Managed) == 64 && offsetof(Managed, deleter) == 56);
static_assert(sizeof(ManagedVersioned) == 80 && offsetof(ManagedVersioned, flags) == 24 &&
              offsetof(ManagedVersioned, tensor) == 32);

// Whether the byte strides are whole elements, as DLPack needs them (those of extents below 2 do not count).
bool can_export(const Array& array) noexcept;

// The tensor holds the buffer until its deleter is called. ExchangeError when can_export is false, and from the legacy
// one for a read-only array and for int4 and uint4, which that struct has no way to say.
ManagedVersioned* export_versioned(const Array& array, bool copied);
Managed* export_legacy(const Array& array);
// The tensor without a holder: good as long as this very array. ExchangeError when can_export is false.
Tensor borrow(const Array& array);

// Takes the tensor over in every case: its deleter is called when the array goes, or before an error leaves here.
// A legacy tensor comes in read-only, since it cannot say that it may be written. ExchangeError for a version, dtype,
// device or shape that cannot be read. `after_work`: the deleter waits for the work that the device has when the array
// goes (Device::after_work), for producers that do not know of it.
Array import_versioned(ManagedVersioned* tensor, bool after_work = false);
Array import_legacy(Managed* tensor, bool after_work = false);
// What a tensor describes, without the memory. ExchangeError as above, and DimensionError for a shape that is too
// large.
struct View {
  View(const Tensor& tensor, bool padded);

  Dtype dtype;
  Dims shape, strides;   // bytes
  std::byte* data;       // the first element
  std::uintptr_t begin;  // of all that the elements touch
  std::size_t nbytes;    // of that; 0 where there are no elements
};
// A new array of ours with the prototype's device, dtype and shape. ExchangeError, OutOfMemoryError.
Array allocate(const Tensor& prototype);

}  // namespace crossdock::dlpack
