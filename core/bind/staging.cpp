// Pinned memory, and many small arrays as one transfer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "convert.h"
#include "crossdock/ops/packing.h"
#include "crossdock/runtime/pinned_pool.h"
#include "gil.h"
#include "operators.h"
#include "port.h"
#include "types.h"

namespace crossdock::bind {

namespace {

Array empty_pinned(PinnedPool& pool, nb::handle shape, nb::handle dtype) {
  const Dims dims = dims_of(shape, "empty");
  const Dtype wanted = dtype_of(dtype);
  const auto nbytes = static_cast<std::size_t>(checked_nbytes(dims, itemsize(wanted)));
  auto block = pool.take_for_array(nbytes);
  std::byte* data = block->data();
  auto buffer = Buffer::borrow(find_device("native:0"), data, nbytes, [block = std::move(block)] {});
  return Array(std::move(buffer), data, wanted, dims, contiguous_strides(dims, itemsize(wanted)), false);
}

template <class Item>
std::vector<std::vector<Item>> blocks_of(const nb::list& blocks, Item (*item)(nb::handle, nb::handle)) {
  std::vector<std::vector<Item>> out;
  for (nb::handle block : blocks) {
    auto& items = out.emplace_back();
    for (nb::handle pair : nb::borrow<nb::list>(block)) {
      const auto both = nb::cast<nb::tuple>(pair);
      items.push_back(item(both[0], both[1]));
    }
  }
  return out;
}

nb::list pack(nb::handle device, const nb::list& blocks) {
  Device& place = device_of(device);
  const auto parcels = blocks_of<Parcel>(
      blocks, [](nb::handle array, nb::handle dtype) { return Parcel{array_of(array, "pack"), dtype_of(dtype)}; });
  std::vector<Array> out;
  {
    const Unlocked unlocked;
    out = pack_to(place, parcels);
  }
  return to_python(std::move(out));
}

void unpack(nb::handle device, const nb::list& blocks) {
  Device& place = device_of(device);
  const auto all = blocks_of<Unpacking>(blocks, [](nb::handle to, nb::handle from) {
    return Unpacking{array_of(to, "unpack"), array_of(from, "unpack")};
  });
  const Unlocked unlocked;
  unpack_from(place, all);
}

// Those that the reader reads, are small and lie in one piece; null for the others. Bools may be other bytes than 0, 1.
bool is_plain(const Array* array, const PinnedPool& pool, std::int64_t below) {
  return array && array->device().is_host() && array->is_c_contiguous() && array->dtype() != Dtype::bool_ &&
         array->size() > 0 && array->nbytes() < below &&
         !pool.holds(array->data(), static_cast<std::size_t>(array->nbytes()));
}

nb::list plain_arrays(nb::handle device, const nb::list& leaves, Reader& reader, std::int64_t below) {
  const PinnedPool& pool = device_of(device).backend().pinned_pool();
  static Device& host = find_device("native:0");
  nb::list out;
  for (nb::handle leaf : leaves) {
    std::optional<Array> room;
    const Array* array = nullptr;
    try {
      array = reader.read(leaf.ptr(), host, room);
    } catch (const std::exception&) {  // the general path will say what is wrong
    }
    PyErr_Clear();
    if (is_plain(array, pool, below))
      out.append(nb::steal(holder_of(leaf.ptr(), room)));
    else
      out.append(nb::none());
  }
  return out;
}

PyObject* no_new_pool(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(
      PyExc_TypeError,
      "PinnedMemoryPool: given by crossdock.core.pinned_memory_pool, as pinned_memory_pool('sim:0'), not by "
      "its class");
  return nullptr;
}

PyType_Slot pool_slots[] = {{Py_tp_new, reinterpret_cast<void*>(no_new_pool)}, {0, nullptr}};

}  // namespace

void define_staging(nb::module_& m) {
  nb::class_<PinnedPool>(m, "PinnedMemoryPool", nb::type_slots(pool_slots), nb::is_final(),
                         "Host memory that a kind of device's copies need not wait for, kept for reuse. Bounded. Given "
                         "by `pinned_memory_pool`.")
      .def(
          "empty",
          [](PinnedPool& pool, nb::handle shape, nb::handle dtype) {
            return to_python(empty_pinned(pool, shape, dtype));
          },
          "shape"_a, nb::kw_only(), "dtype"_a,
          nb::sig("def empty(self, shape: int | tuple[int, ...], *, dtype: typing.Any) -> Array"),
          R"doc(An uninitialised array in this memory.

Parameters
----------
shape : int or tuple of int
    Its shape.
dtype : dtype
    Its data type.

Returns
-------
Array
    On ``native:0``, fresh, in C order. Its memory goes back to the pool with the last array that looks at it. Copies of
    contiguous views of it to devices of this kind are direct, and with ``blocking=False`` return at once.

Raises
------
OutOfMemoryError
    Beyond the limit, of which 8 MiB are kept for copies.
)doc")
      .def(
          "statistics",
          [](PinnedPool& pool) {
            const PinnedStatistics now = pool.statistics();
            return nb::module_::import_("crossdock.core._memory_info")
                .attr("PinnedStatistics")(now.used, now.pooled, now.high_water, now.limit);
          },
          nb::sig("def statistics(self) -> typing.Any"),
          R"doc(What the pool holds.

Returns
-------
PinnedStatistics
    ``used``, ``pooled``, ``high_water`` and ``limit``, in bytes.
)doc")
      .def("set_limit", &PinnedPool::set_limit, "nbytes"_a,
           R"doc(Bounds what blocks in use and blocks kept for reuse hold together.

Parameters
----------
nbytes : int
    At least 8 MiB. Copies wait for each other, and arrays are refused, rather than exceed it.

Raises
------
ValueError
    For less.
)doc")
      .def("free_all_blocks", &PinnedPool::free_all_blocks, nb::call_guard<Unlocked>(),
           "Gives the blocks that are kept for reuse back to the system.");
  m.def(
      "pinned_memory_pool",
      [](nb::handle device) { return nb::cast(&device_of(device).backend().pinned_pool(), nb::rv_policy::reference); },
      "device"_a, nb::sig("def pinned_memory_pool(device: Device | str, /) -> PinnedMemoryPool"),
      R"doc(The pinned host memory for copies from and to a kind of device.

Parameters
----------
device : Device or str
    Any device of the kind.

Returns
-------
PinnedMemoryPool
    One for each kind.
)doc");
  m.def(
      "_has_pinned_arrays", [](nb::handle device) { return device_of(device).backend().pinned_pool().has_arrays(); },
      "device"_a);
  m.def(
      "_is_pinned",
      [](nb::handle device, nb::handle array) {
        const Array& x = array_of(array, "is_pinned");
        return x.is_c_contiguous() &&
               device_of(device).backend().pinned_pool().holds(x.data(), static_cast<std::size_t>(x.nbytes()));
      },
      "device"_a, "array"_a);
  m.def("_pack", &pack, "device"_a, "blocks"_a,
        nb::sig("def _pack(device: Device | str, blocks: list[list[tuple[Array, typing.Any]]]) -> list[Array]"),
        "Copies of host arrays, each as a dtype, on a device: views of one allocation for each block.");
  m.def("_unpack", &unpack, "device"_a, "blocks"_a,
        nb::sig("def _unpack(device: Device | str, blocks: list[list[tuple[Array, Array]]]) -> None"),
        "Writes arrays of a device, the second of each pair, into host arrays: one transfer for each block.");
  m.def("_plain_arrays", &plain_arrays, "device"_a, "leaves"_a, "reader"_a, "below"_a,
        nb::sig("def _plain_arrays(device: Device | str, leaves: list[typing.Any], reader: _Reader, below: int) -> "
                "list[Array | None]"),
        "Views of the leaves that the reader reads, lie in one piece in pageable memory, and are smaller than "
        "``below`` bytes.");
  m.attr("_CHUNK_NBYTES") = PinnedPool::kChunk;
  m.attr("_PACK_ALIGNMENT") = kPackAlignment;
}

}  // namespace crossdock::bind
