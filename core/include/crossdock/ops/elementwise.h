// Elementwise operations: one table of rules, one function.
#pragma once

#include <span>

#include "crossdock/array/array.h"
#include "crossdock/ops/scalar.h"
#include "crossdock/runtime/op.h"

namespace crossdock {

// The dtype that the arguments are brought to before `op`: arrays and strong scalars promote, weak scalars must fit.
// DtypeError naming op and dtypes.
Dtype common_dtype(const char* op, std::span<const Argument> arguments);
// The one device of the arrays among the arguments; MixedDevicesError naming each, TypeError when there is no array.
Device& common_device(const char* op, std::span<const Argument> arguments);

// A new array in C order, of the broadcast shape, on the arguments' device. Errors: common_dtype's, common_device's,
// DimensionError for shapes that do not broadcast, NotImplementedError for a missing kernel.
Array elementwise(Op op, std::span<const Argument> arguments);
// The same, written into the first argument, which keeps dtype and shape (`x += y`); ReadOnlyError, DtypeError.
void elementwise_in_place(Op op, const Array& out, const Argument& other);

inline int arity(Op op) noexcept { return op < Op::add ? 1 : 2; }

// condition ? a : b; condition is bool. At least one argument is an array.
Array where(const Argument& condition, const Argument& a, const Argument& b);
// clip by maximum, then minimum; an absent bound is no bound.
Array clip(const Array& x, const std::optional<Argument>& low, const std::optional<Argument>& high);

}  // namespace crossdock
