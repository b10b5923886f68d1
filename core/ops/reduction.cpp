#include "crossdock/ops/reduction.h"

#include <algorithm>
#include <array>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/ops/manipulation.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

// The axes as flags.
std::array<bool, kMaxNdim> reduced_axes(const Array& array, const std::optional<Dims>& axes, const char* op) {
  std::array<bool, kMaxNdim> reduced{};
  if (!axes) {
    std::fill_n(reduced.begin(), array.ndim(), true);
    return reduced;
  }
  for (auto axis : *axes) {
    bool& flag = reduced[static_cast<std::size_t>(normalize_axis(axis, array.ndim(), op))];
    if (flag)
      throw DimensionError(std::string(op) + ": axis " + std::to_string(axis) + " is named twice in " +
                           to_string(*axes));
    flag = true;
  }
  return reduced;
}

// `second`: another input, C-contiguous, one element for each result; may be null.
Array launch_reduction(Op op, const Array& array, const std::array<bool, kMaxNdim>& reduced, bool keepdims,
                       Dtype out_dtype, const Array* second = nullptr) {
  Launch launch;
  launch.op = op;
  launch.dtype = array.dtype();
  Dims out_shape, kept_shape, in_strides, reduced_shape, reduced_strides;
  for (int i = 0; i < array.ndim(); ++i) {
    const bool goes = reduced[static_cast<std::size_t>(i)];
    (goes ? reduced_shape : kept_shape).push_back(array.shape()[i]);
    (goes ? reduced_strides : in_strides).push_back(array.strides()[i]);
    if (!goes || keepdims) out_shape.push_back(goes ? 1 : array.shape()[i]);
  }
  Array out = Array::empty(out_shape, out_dtype, array.device());
  if (out.size() == 0) return out;
  const auto one_each = [&](const Array& a) {
    Dims strides = contiguous_strides(kept_shape, a.itemsize());
    for (int i = 0; i < reduced_shape.size(); ++i) strides.push_back(0);
    return Operand{.data = a.data(), .dtype = a.dtype(), .strides = std::move(strides)};
  };
  for (auto stride : reduced_strides) in_strides.push_back(stride);
  const auto add = [&](Operand operand) {
    launch.operands[static_cast<std::size_t>(launch.noperands++)] = std::move(operand);
  };
  add({.data = array.data(), .dtype = array.dtype(), .strides = std::move(in_strides)});
  if (second) add(one_each(*second));
  add(one_each(out));
  launch.reduced = reduced_shape.size();
  for (auto extent : reduced_shape) kept_shape.push_back(extent);
  launch.shape = std::move(kept_shape);
  array.device().launch(std::move(launch));
  return out;
}

void require_elements(Op op, const Array& array, const std::array<bool, kMaxNdim>& reduced) {
  for (int i = 0; i < array.ndim(); ++i) {
    if (reduced[static_cast<std::size_t>(i)] && array.shape()[i] == 0) {
      throw ValueError(std::string(name(op)) + ": axis " + std::to_string(i) + " has no elements (shape " +
                       to_string(array.shape()) + "), and there is no neutral one");
    }
  }
}

// Whether sum and prod read `from` and write `to` by themselves.
bool widens(Dtype from, Dtype to) {
  const bool same_kind = ((is_integer(from) || from == Dtype::bool_) && is_integer(to)) ||
                         (is_real_floating(from) && is_real_floating(to));
  return same_kind && itemsize(to) > itemsize(from);
}

}  // namespace

Dtype accumulation_dtype(Op op, Dtype dtype, std::optional<Dtype> wanted) {
  const auto numeric = [](Dtype d) { return is_integer(d) || is_floating(d); };
  if (!numeric(dtype) && dtype != Dtype::bool_) {
    throw DtypeError(std::string(name(op)) + ": takes a numeric dtype or bool, not " + std::string(name(dtype)) +
                     "; convert with astype first");
  }
  if (wanted) {
    if (!numeric(*wanted)) {
      throw DtypeError(std::string(name(op)) + ": gives a numeric dtype, not dtype=" + std::string(name(*wanted)));
    }
    if (is_complex(dtype) && !is_complex(*wanted)) {
      throw DtypeError(std::string(name(op)) + ": dtype=" + std::string(name(*wanted)) +
                       " would drop the imaginary parts of " + std::string(name(dtype)) + "; take real(x) first");
    }
    return *wanted;
  }
  if (dtype == Dtype::bool_ || kind(dtype) == DtypeKind::signed_integer) return Dtype::int64;
  return kind(dtype) == DtypeKind::unsigned_integer ? Dtype::uint64 : dtype;
}

Array reduce(Op op, const Array& array, const std::optional<Dims>& axes, bool keepdims, std::optional<Dtype> dtype) {
  const auto reduced = reduced_axes(array, axes, name(op).data());
  if (op == Op::any || op == Op::all) {
    if (kind(array.dtype()) == DtypeKind::storage) {
      throw DtypeError(std::string(name(op)) + ": does not take " + std::string(name(array.dtype())) +
                       "; convert with astype first");
    }
    return launch_reduction(op, array, reduced, keepdims, Dtype::bool_);
  }
  if (op == Op::max || op == Op::min) {
    if (!is_integer(array.dtype()) && !is_real_floating(array.dtype())) {
      throw DtypeError(std::string(name(op)) + ": takes a real dtype, not " + std::string(name(array.dtype())) +
                       "; convert with astype first");
    }
    require_elements(op, array, reduced);
    return launch_reduction(op, array, reduced, keepdims, array.dtype());
  }
  const Dtype wanted = accumulation_dtype(op, array.dtype(), dtype);
  if (widens(array.dtype(), wanted)) return launch_reduction(op, array, reduced, keepdims, wanted);
  return launch_reduction(op, astype_if_needed(array, wanted), reduced, keepdims, wanted);
}

Array mean(const Array& array, const std::optional<Dims>& axes, bool keepdims) {
  if (!is_floating(array.dtype())) {
    throw DtypeError("mean: takes a floating-point dtype, not " + std::string(name(array.dtype())) +
                     "; convert with astype first");
  }
  const auto reduced = reduced_axes(array, axes, "mean");
  std::int64_t count = 1;
  for (int i = 0; i < array.ndim(); ++i) count *= reduced[static_cast<std::size_t>(i)] ? array.shape()[i] : 1;
  // The sum may be beyond what a narrow dtype holds where the mean is not.
  const Dtype wide = is_real_floating(array.dtype()) ? Dtype::float64 : array.dtype();
  const Array total = reduce(Op::sum, array, axes, keepdims, wide);
  elementwise_in_place(Op::divide, total, Scalar{static_cast<double>(count)});
  return astype_if_needed(total, array.dtype());
}

Array squared_deviations(const Array& array, const Array& centre, const Dims& axes) {
  return launch_reduction(Op::squared_deviations, array, reduced_axes(array, axes, "squared_deviations"), true,
                          Dtype::float64, &centre);
}

Array arg_reduce(Op op, const Array& array, std::optional<std::int64_t> axis, bool keepdims) {
  if (!is_integer(array.dtype()) && !is_real_floating(array.dtype())) {
    throw DtypeError(std::string(name(op)) + ": takes a real dtype, not " + std::string(name(array.dtype())) +
                     "; convert with astype first");
  }
  std::optional<Dims> axes;
  if (axis) axes = Dims{*axis};
  const auto reduced = reduced_axes(array, axes, name(op).data());
  require_elements(op, array, reduced);
  return launch_reduction(op, array, reduced, keepdims, Dtype::int64);
}

}  // namespace crossdock
