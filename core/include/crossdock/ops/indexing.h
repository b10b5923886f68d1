// Indexing by integers, slices, masks and integer arrays (array API standard, "Indexing").
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "crossdock/array/indexing.h"
#include "crossdock/ops/scalar.h"

namespace crossdock {

// Integers or a mask as an index. On the device of what it indexes, or in host memory when it was `given_on_host`: then
// it is checked there, and moved (an implicit transfer).
struct ArrayIndex {
  Array array;
  bool given_on_host = false;
};
// A bool is a mask without dimensions. Several arrays broadcast; integers beside them are arrays without dimensions.
using AnyIndex = std::variant<std::int64_t, Slice, Ellipsis, NewAxis, bool, ArrayIndex>;

// A view without arrays and bools among the indexes, else a fresh array. The arrays' dimensions come where the arrays
// stand, or first when something else stands between them, as in NumPy. A mask on an accelerator is waited for.
// IndexError for places that are not there, shapes that do not go together, and too many indexes (on an accelerator
// bounds of its own arrays are checked when it is at it); MixedDevicesError; DtypeError.
Array index(const Array& array, std::span<const AnyIndex> indexes);

// array[indexes] = value, broadcast and converted; the last value stays where a place comes more than once. Nothing is
// written when an index is wrong. A mask with a value that does not depend on it is not waited for. ReadOnlyError,
// DtypeError for a value of a higher kind (bool, integer, real, complex), DimensionError, and what `index` throws.
void assign(const Array& array, std::span<const AnyIndex> indexes, const Argument& value);
// The same for all of an array.
void assign(const Array& target, const Argument& value);

}  // namespace crossdock
