// DLPack 1.x: our own declarations of its ABI (https://dmlc.github.io/dlpack/latest/c_api.html), and both directions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crossdock/array/array.h"

namespace crossdock::dlpack {

inline constexpr std::uint32_t kMajor = 1, kMinor = 1;  // what we speak
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

// Takes the tensor over in every case: its deleter is called when the array goes, or before an error leaves here.
// A legacy tensor comes in read-only, since it cannot say that it may be written. ExchangeError for a version, dtype,
// device or shape that cannot be read.
Array import_versioned(ManagedVersioned* tensor);
Array import_legacy(Managed* tensor);

}  // namespace crossdock::dlpack
