#include "crossdock/array/dlpack.h"

#include <memory>
#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock::dlpack {

namespace {

// What an exported tensor points into; freed with it.
template <class Struct>
struct Holder {
  Struct managed;
  Array array;
  explicit Holder(const Array& array) : managed{}, array(array) {}
};

template <class Struct>
void release(Struct* self) {
  delete static_cast<Holder<Struct>*>(self->context);
}

void describe(const Array& array, Tensor& tensor) {
  std::int64_t* strides = array.element_strides();
  if (!strides) {
    throw ExchangeError("DLPack counts strides in whole elements; byte strides " + to_string(array.strides()) +
                        " are not multiples of " + std::to_string(array.itemsize()) + " bytes (" +
                        std::string(name(array.dtype())) + ")");
  }
  const DtypeInfo& type = info(array.dtype());
  tensor.data = array.data();
  tensor.device = {array.device().dlpack_type(), array.device().dlpack_id()};
  tensor.ndim = array.ndim();
  tensor.dtype = {type.dlpack_code, type.dlpack_bits, 1};
  tensor.shape = const_cast<std::int64_t*>(array.shape().data());  // consumers only read it
  tensor.strides = strides;
  tensor.byte_offset = 0;
}

template <class Struct>
Struct* make(const Array& array) {
  auto holder = std::make_unique<Holder<Struct>>(array);
  describe(holder->array, holder->managed.tensor);
  holder->managed.context = holder.get();
  holder->managed.deleter = release<Struct>;
  return &holder.release()->managed;
}

// Our device for a tensor's, or null.
crossdock::Device* device_of(const Tensor& tensor, bool ours) {
  static crossdock::Device& host = find_device("native:0");
  if (tensor.device.type == kCpu || tensor.device.type == kCudaHost) return &host;
  // An extension device's pointers mean something only to whoever made them.
  if (tensor.device.type == kExtension && !ours) return nullptr;
  const std::int32_t type = tensor.device.type == kCudaManaged ? kCuda : tensor.device.type;
  for (Backend* backend : backends()) {
    if (backend->dlpack_type() == type && tensor.device.id >= 0 && tensor.device.id < backend->device_count())
      return &backend->device(tensor.device.id);
  }
  return nullptr;
}

std::string text_of(const DataType& type) {
  return "(code " + std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits, " +
         std::to_string(type.lanes) + " lanes)";
}

std::string text_of(const Device& device) {
  return "(type " + std::to_string(device.type) + ", id " + std::to_string(device.id) + ")";
}

Dims shape_of(const Tensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxNdim || (tensor.ndim > 0 && !tensor.shape)) {
    throw ExchangeError("DLPack: " + std::to_string(tensor.ndim) + " dimensions cannot be read (0 to " +
                        std::to_string(kMaxNdim) + " can)");
  }
  return Dims(tensor.shape, tensor.ndim);
}

Dtype dtype_of(const DataType& type, bool padded) {
  const auto dtype = find_dtype(type.code, type.bits, type.lanes);
  if (!dtype) throw ExchangeError("DLPack: no dtype here for " + text_of(type));
  if (type.bits < 8 && !padded) {
    throw ExchangeError("DLPack: " + std::string(name(*dtype)) + " elements that share a byte cannot be read");
  }
  return *dtype;
}

Dims in_bytes(const Tensor& tensor, const Dims& shape, int itemsize) {
  Dims strides(tensor.strides, tensor.ndim);
  for (int i = 0; i < strides.size(); ++i) {
    if (shape[i] < 2) {
      strides[i] = itemsize;
    } else if (__builtin_mul_overflow(strides[i], static_cast<std::int64_t>(itemsize), &strides[i])) {
      throw ExchangeError("DLPack: a stride does not fit in 64 bits");
    }
  }
  return strides;
}

Dims strides_of(const Tensor& tensor, const Dims& shape, int itemsize) {
  // Strides that no step is ever taken by may be anything.
  const bool leads_nowhere = checked_nbytes(shape, itemsize) == 0;
  return tensor.strides && !leads_nowhere ? in_bytes(tensor, shape, itemsize) : contiguous_strides(shape, itemsize);
}

// `release` becomes the buffer's; it is called here too when something cannot be read. `after_work`: it waits for the
// work that the device has by then.
Array import_tensor(const Tensor& tensor, bool readonly, bool padded, bool ours, bool after_work,
                    std::function<void()>&& release) {
  try {
    View view(tensor, padded);
    crossdock::Device* device = device_of(tensor, ours);
    if (!device) {
      throw ExchangeError("DLPack: the array core has no device for " + text_of(tensor.device) +
                          "; it reads (1, 0), the host");
    }
    if (view.nbytes != 0 && !ours && !device->may_be_memory(view.data)) {
      throw ExchangeError("DLPack: the device (" + std::to_string(tensor.device.type) + ", " +
                          std::to_string(tensor.device.id) + ") is said of memory that " + device->spec() +
                          " does not know");
    }
    std::function<void()> end = release;
    if (after_work && !device->is_host()) end = [device, release] { device->after_work(release); };
    auto buffer = Buffer::borrow(*device, view.data, view.nbytes, std::move(end));
    release = nullptr;  // the buffer's now
    return Array(std::move(buffer), view.data, view.dtype, std::move(view.shape), std::move(view.strides), readonly);
  } catch (const DimensionError& error) {
    if (release) release();
    throw ExchangeError(std::string("DLPack: ") + error.what());
  } catch (...) {
    if (release) release();
    throw;
  }
}

}  // namespace

bool can_export(const Array& array) noexcept {
  for (int i = 0; i < array.ndim() && array.size() != 0; ++i) {
    if (array.shape()[i] > 1 && array.strides()[i] % array.itemsize() != 0) return false;
  }
  return true;
}

Tensor borrow(const Array& array) {
  Tensor tensor{};
  describe(array, tensor);
  return tensor;
}

ManagedVersioned* export_versioned(const Array& array, bool copied) {
  ManagedVersioned* managed = make<ManagedVersioned>(array);
  managed->version = {kMajor, kMinor};
  managed->flags = (array.readonly() ? kReadOnly : 0) | (copied ? kIsCopied : 0) |
                   (info(array.dtype()).dlpack_bits < 8 ? kSubbytePadded : 0);
  return managed;
}

Managed* export_legacy(const Array& array) {
  if (array.readonly()) {
    throw ExchangeError(
        "a read-only array cannot leave through a DLPack capsule before version 1; ask with max_version=(1, 0)");
  }
  if (info(array.dtype()).dlpack_bits < 8) {
    throw ExchangeError(std::string(name(array.dtype())) +
                        " elements with a byte each cannot leave through a DLPack capsule before version 1; ask with "
                        "max_version=(1, 0)");
  }
  return make<Managed>(array);
}

Array import_versioned(ManagedVersioned* tensor, bool after_work) {
  std::function<void()> release = [tensor] {
    if (tensor->deleter) tensor->deleter(tensor);
  };
  if (tensor->version.major != kMajor) {  // below 1 there were none with a version
    const auto version = tensor->version;
    release();  // only version and deleter keep their place across major versions
    throw ExchangeError("DLPack version " + std::to_string(version.major) + "." + std::to_string(version.minor) +
                        " cannot be read; this is version " + std::to_string(kMajor));
  }
  const bool ours = tensor->deleter == &dlpack::release<ManagedVersioned>;
  return import_tensor(tensor->tensor, tensor->flags & kReadOnly, tensor->flags & kSubbytePadded, ours, after_work,
                       std::move(release));
}

Array import_legacy(Managed* tensor, bool after_work) {
  const bool ours = tensor->deleter == &dlpack::release<Managed>;
  return import_tensor(tensor->tensor, true, false, ours, after_work, [tensor] {
    if (tensor->deleter) tensor->deleter(tensor);
  });
}

View::View(const Tensor& tensor, bool padded)
    : dtype(dtype_of(tensor.dtype, padded)),
      shape(shape_of(tensor)),
      strides(strides_of(tensor, shape, itemsize(dtype))) {
  const auto [low, high] = byte_extent(shape, strides, itemsize(dtype));
  nbytes = static_cast<std::size_t>(high - low);
  if (!tensor.data && nbytes != 0) {
    throw ExchangeError("DLPack: null data with " + std::to_string(checked_size(shape)) +
                        " elements (a fake or deleted tensor has no values)");
  }
  // As a number, since a producer may say any offset.
  const auto address = tensor.data ? reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset : 0;
  data = reinterpret_cast<std::byte*>(address);
  begin = address + static_cast<std::uintptr_t>(low);
}

Array allocate(const Tensor& prototype) {
  const auto dtype = find_dtype(prototype.dtype.code, prototype.dtype.bits, prototype.dtype.lanes);
  if (!dtype) throw ExchangeError("DLPack: no dtype here for " + text_of(prototype.dtype));
  crossdock::Device* device = device_of(prototype, true);
  if (!device) throw ExchangeError("DLPack: the array core has no device for " + text_of(prototype.device));
  return Array::empty(shape_of(prototype), *dtype, *device);
}

}  // namespace crossdock::dlpack
