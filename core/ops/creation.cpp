#include "crossdock/ops/creation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

double as_double(const Scalar& scalar, const char* op) {
  return std::visit(
      [&](auto value) -> double {
        if constexpr (std::is_same_v<decltype(value), std::complex<double>>) {
          throw DtypeError(std::string(op) + ": takes real numbers, not " + scalar.text());
        } else {
          return static_cast<double>(value);
        }
      },
      scalar.value);
}

std::complex<double> as_complex(const Scalar& scalar) {
  if (const auto* value = std::get_if<std::complex<double>>(&scalar.value)) return *value;
  return as_double(scalar, "linspace");
}

std::optional<std::int64_t> as_integer(const Scalar& scalar) {
  if (const auto* value = std::get_if<std::int64_t>(&scalar.value)) return *value;
  if (const auto* value = std::get_if<bool>(&scalar.value)) return *value;
  return std::nullopt;
}

bool is_beyond_int64(const Scalar& scalar) { return std::holds_alternative<std::uint64_t>(scalar.value); }

Array launch_arange(std::int64_t count, Dtype dtype, Device& device, std::array<std::int64_t, 2> integers,
                    std::array<double, 2> scalars) {
  Array out = Array::empty({count}, dtype, device);
  if (count == 0) return out;
  Launch launch;
  launch.op = Op::arange;
  launch.dtype = dtype;
  launch.shape = out.shape();
  launch.noperands = 1;
  launch.operands[0] = {.data = out.data(), .dtype = dtype, .strides = out.strides()};
  launch.integers = {integers[0], integers[1]};
  launch.scalars = scalars;
  device.launch(std::move(launch));
  return out;
}

// float64. Where stop - start overflows, half of everything, doubled at the end.
Array evenly_spaced(double start, double stop, std::int64_t count, bool endpoint, Device& device) {
  const bool halved = std::isinf(stop - start) && std::isfinite(start) && std::isfinite(stop);
  const double scale = halved ? 0.5 : 1, span = stop * scale - start * scale;
  const std::int64_t intervals = endpoint ? count - 1 : count;
  const double step = intervals > 0 ? span / static_cast<double>(intervals) : 0;
  const Array out = launch_arange(count, Dtype::float64, device, {}, {start * scale, step});
  if (halved) elementwise_in_place(Op::multiply, out, Scalar{2.0});
  if (endpoint && count > 1) {  // rounding must not move the last one
    copy_into(out.view({1}, {out.itemsize()}, (count - 1) * out.itemsize()), to_array({stop}, Dtype::float64, device));
  }
  return out;
}

// Elements in [start, stop) by `step`, without overflow.
std::int64_t count_integers(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const auto span = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                             : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const auto pace = step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (span - 1) / pace + 1;
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw DimensionError("arange: " + std::to_string(count) + " elements are more than a 64-bit number counts");
  }
  return static_cast<std::int64_t>(count);
}

std::int64_t count_reals(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (std::isnan(count) || count >= 9.2e18) {
    throw ValueError("arange: cannot count the elements from " + std::to_string(start) + " to " + std::to_string(stop) +
                     " by " + std::to_string(step));
  }
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

}  // namespace

Array full(const Dims& shape, const Scalar& value, Dtype dtype, Device& device) {
  Array out = Array::empty(shape, dtype, device);
  fill(out, value);
  return out;
}

void fill(const Array& target, const Scalar& value) {
  Launch launch;
  store(value, target.dtype(), launch.operands[0].immediate);
  if (target.size() == 0) return;
  const bool flat = target.is_c_contiguous();
  launch.op = Op::copy;
  launch.dtype = target.dtype();
  launch.shape = flat ? Dims{target.size()} : target.shape();
  launch.noperands = 2;
  launch.operands[0].dtype = target.dtype();
  launch.operands[0].strides = Dims(launch.shape.size());
  launch.operands[1].data = target.data();
  launch.operands[1].dtype = target.dtype();
  launch.operands[1].strides = flat ? Dims{target.itemsize()} : target.strides();
  target.device().launch(std::move(launch));
}

Array arange(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<Dtype> dtype, Device& device) {
  const auto first = as_integer(start), last = as_integer(stop), by = as_integer(step);
  const bool integers = first && last && by;
  const Dtype wanted = dtype.value_or(integers ? Dtype::int64 : Dtype::float64);
  if (!is_integer(wanted) && !is_real_floating(wanted)) {
    throw DtypeError("arange: takes a real dtype, not " + std::string(name(wanted)));
  }
  if (as_double(step, "arange") == 0) throw ValueError("arange: step cannot be 0");
  if (integers) {
    return launch_arange(count_integers(*first, *last, *by), wanted, device, {*first, *by},
                         {static_cast<double>(*first), static_cast<double>(*by)});
  }
  if (is_beyond_int64(start) || is_beyond_int64(stop) || is_beyond_int64(step)) {
    throw OverflowError("arange: takes integers of 64 bits with sign, and real numbers");
  }
  const double from = as_double(start, "arange"), to = as_double(stop, "arange"), pace = as_double(step, "arange");
  const std::int64_t count = count_reals(from, to, pace);
  if (!is_integer(wanted)) return launch_arange(count, wanted, device, {}, {from, pace});
  return astype(launch_arange(count, Dtype::float64, device, {}, {from, pace}), wanted);
}

Array linspace(const Scalar& start, const Scalar& stop, std::int64_t count, Dtype dtype, bool endpoint,
               Device& device) {
  if (count < 0) throw ValueError("linspace: num cannot be negative: " + std::to_string(count));
  if (!is_floating(dtype)) {
    throw DtypeError("linspace: takes a floating-point dtype, not " + std::string(name(dtype)));
  }
  if (!is_complex(dtype)) {
    return astype_if_needed(
        evenly_spaced(as_double(start, "linspace"), as_double(stop, "linspace"), count, endpoint, device), dtype);
  }
  const auto first = as_complex(start), last = as_complex(stop);
  const Array out = Array::empty({count}, dtype, device);
  const Dtype part = real_part(dtype);
  const auto put = [&](double from, double to, std::int64_t offset) {
    const Array target(out.buffer(), out.data() + offset, part, out.shape(), out.strides(), false);
    copy_into(target, evenly_spaced(from, to, count, endpoint, device));
  };
  put(first.real(), last.real(), 0);
  put(first.imag(), last.imag(), itemsize(part));
  return out;
}

Array eye(std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype dtype, Device& device) {
  Array out = full({rows, columns}, {std::int64_t{0}}, dtype, device);
  if (k >= columns || k <= -rows) return out;
  const std::int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  const std::int64_t length = std::min(rows - row, columns - column);
  if (length <= 0) return out;
  const std::int64_t step = out.itemsize();
  copy_into(out.view({length}, {(columns + 1) * step}, (row * columns + column) * step),
            to_array({std::int64_t{1}}, dtype, device));
  return out;
}

}  // namespace crossdock
