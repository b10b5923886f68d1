// Manipulation functions of the namespace, and astype.
#include "crossdock/ops/manipulation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "convert.h"
#include "crossdock/ops/copy.h"
#include "operators.h"
#include "types.h"

namespace crossdock::bind {

void define_manipulation(nb::module_& m) {
  m.def(
      "reshape",
      [](nb::handle x, nb::handle shape, std::optional<bool> copy) {
        const Array& array = array_of(x, "reshape");
        return to_python(unlocked(array.device(), array.size(),
                                  [&, dims = dims_of(shape, "reshape")] { return reshape(array, dims, copy); }));
      },
      "x"_a.none(), "shape"_a.none(), nb::kw_only(), "copy"_a = nb::none(),
      nb::sig(
          "def reshape(x: Array, /, shape: int | collections.abc.Sequence[int], *, copy: bool | None = None) -> Array"),
      "x in another shape, one extent of which may be -1; a view where the strides allow it, unless ``copy``.");
  m.def(
      "permute_dims",
      [](nb::handle x, nb::handle axes) {
        return to_python(permute_dims(array_of(x, "permute_dims"), dims_of(axes, "permute_dims")));
      },
      "x"_a.none(), "axes"_a, nb::sig("def permute_dims(x: Array, /, axes: collections.abc.Sequence[int]) -> Array"),
      "The dimensions in another order; a view.");
  m.def(
      "matrix_transpose", [](nb::handle x) { return to_python(matrix_transpose(array_of(x, "matrix_transpose"))); },
      "x"_a.none(), nb::sig("def matrix_transpose(x: Array, /) -> Array"), "The last two dimensions swapped; a view.");
  m.def(
      "moveaxis",
      [](nb::handle x, nb::handle source, nb::handle destination) {
        return to_python(
            moveaxis(array_of(x, "moveaxis"), dims_of(source, "moveaxis"), dims_of(destination, "moveaxis")));
      },
      "x"_a.none(), "source"_a, "destination"_a,
      nb::sig("def moveaxis(x: Array, source: int | collections.abc.Sequence[int], destination: int | "
              "collections.abc.Sequence[int], /) -> Array"),
      "Dimensions moved to other places, the rest in order; a view.");
  m.def(
      "expand_dims",
      [](nb::handle x, nb::handle axis) {
        return to_python(expand_dims(array_of(x, "expand_dims"), dims_of(axis, "expand_dims")));
      },
      "x"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def expand_dims(x: Array, /, *, axis: int | collections.abc.Sequence[int] = 0) -> Array"),
      "With dimensions of extent 1 at the places named; a view.");
  m.def(
      "squeeze",
      [](nb::handle x, nb::handle axis) {
        return to_python(squeeze(array_of(x, "squeeze"), dims_of(axis, "squeeze")));
      },
      "x"_a.none(), "axis"_a, nb::sig("def squeeze(x: Array, /, axis: int | collections.abc.Sequence[int]) -> Array"),
      "Without the dimensions named, which must have extent 1; a view.");
  m.def(
      "flip", [](nb::handle x, nb::handle axis) { return to_python(flip(array_of(x, "flip"), axes_of(axis, "flip"))); },
      "x"_a.none(), nb::kw_only(), "axis"_a = nb::none(),
      nb::sig("def flip(x: Array, /, *, axis: int | collections.abc.Sequence[int] | None = None) -> Array"),
      "Elements in reverse order along the axes named, or all; a view.");
  m.def(
      "broadcast_to",
      [](nb::handle x, nb::handle shape) {
        return to_python(array_of(x, "broadcast_to").broadcast_to(dims_of(shape, "broadcast_to")));
      },
      "x"_a.none(), "shape"_a.none(),
      nb::sig("def broadcast_to(x: Array, /, shape: int | collections.abc.Sequence[int]) -> Array"),
      "x repeated to ``shape``; a view, read-only where it repeats elements.");
  m.def(
      "broadcast_arrays",
      [](nb::args arrays) {
        std::vector<Array> parts;
        for (nb::handle item : arrays) parts.push_back(array_of(item, "broadcast_arrays"));
        nb::list out;
        for (Array& array : broadcast_arrays(parts)) out.append(to_python(std::move(array)));
        return out;
      },
      nb::sig("def broadcast_arrays(*arrays: Array) -> list[Array]"), "Views of all arrays in their common shape.");
  m.def(
      "concat",
      [](nb::handle arrays, std::optional<std::int64_t> axis) {
        const auto parts = arrays_of(arrays, "concat");
        return to_python(parts.empty() ? concat(parts, axis)
                                       : unlocked(parts[0].device(), kLongWork, [&] { return concat(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a.none() = 0,
      nb::sig("def concat(arrays: list[Array] | tuple[Array, ...], /, *, axis: int | None = 0) -> Array"),
      "Arrays one after the other along an axis (None: all flattened); a fresh array.");
  m.def(
      "stack",
      [](nb::handle arrays, std::int64_t axis) {
        const auto parts = arrays_of(arrays, "stack");
        return to_python(parts.empty() ? stack(parts, axis)
                                       : unlocked(parts[0].device(), kLongWork, [&] { return stack(parts, axis); }));
      },
      "arrays"_a.none(), nb::kw_only(), "axis"_a = 0,
      nb::sig("def stack(arrays: list[Array] | tuple[Array, ...], /, *, axis: int = 0) -> Array"),
      "Arrays of one shape along a new axis; a fresh array.");
  m.def(
      "astype",
      [](nb::handle x, nb::handle dtype, bool copy, nb::handle device) {
        Array array = array_of(x, "astype");
        const Dtype wanted = dtype_of(dtype);
        require_castable(array.dtype(), wanted);
        Device& place = device.is_none() ? array.device() : device_of(device);
        return to_python(unlocked(place, kLongWork, [&] {
          const bool moves = &place != &array.device();
          if (moves) array = to_device(array, place);
          return (copy && !(moves && !place.is_host())) || wanted != array.dtype() ? astype(array, wanted) : array;
        }));
      },
      "x"_a.none(), "dtype"_a, nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
      nb::sig("def astype(x: Array, dtype: typing.Any, /, *, copy: bool = True, device: Device | str | None = None) -> "
              "Array"),
      "x converted to ``dtype`` as C would, complex to real refused; a fresh array unless ``copy=False`` and nothing "
      "changes.");
}

}  // namespace crossdock::bind
