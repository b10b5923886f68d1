#include "crossdock/ops/fft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/creation.h"
#include "crossdock/ops/elementwise.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

constexpr std::array<const char*, 10> kNames = {"fft",   "ifft", "rfft",  "irfft", "hfft",
                                                "ihfft", "fftn", "ifftn", "rfftn", "irfftn"};

// What a function does to the last axis it is given, and whether it conjugates.
struct Kind {
  Op op;
  bool inverse;
  bool conjugate = false;
};

Kind kind_of(Fourier function) noexcept {
  switch (function) {
    case Fourier::fft:
    case Fourier::fftn:
      return {Op::fft, false};
    case Fourier::ifft:
    case Fourier::ifftn:
      return {Op::fft, true};
    case Fourier::rfft:
    case Fourier::rfftn:
      return {Op::rfft, false};
    case Fourier::irfft:
    case Fourier::irfftn:
      return {Op::irfft, true};
    case Fourier::hfft:  // a forward transform by the inverse one of the conjugate
      return {Op::irfft, false, true};
    case Fourier::ihfft:
      return {Op::rfft, true, true};
  }
  return {};
}

Dtype complex_of(Dtype dtype) noexcept {
  return dtype == Dtype::float64 || dtype == Dtype::complex128 ? Dtype::complex128 : Dtype::complex64;
}

Dtype transformed_dtype(Fourier function, Op op, Dtype dtype) {
  const std::string op_name = name(function);
  if (op == Op::rfft && is_complex(dtype)) {
    throw DtypeError(op_name + ": takes a real floating-point dtype, not " + std::string(name(dtype)) +
                     "; take its real part first, or use the complex transform");
  }
  if (!is_floating(dtype)) {
    throw DtypeError(op_name + ": takes a floating-point dtype, not " + std::string(name(dtype)) +
                     "; convert with astype first");
  }
  const Dtype complex = complex_of(dtype);
  return op == Op::rfft ? real_part(complex) : complex;
}

// `function` named with the length that is no length.
void require_length(Fourier function, std::int64_t n, std::int64_t extent, int axis) {
  if (n >= 1) return;
  throw ValueError(std::string(name(function)) + ": cannot transform over " + std::to_string(n) + " elements: axis " +
                   std::to_string(axis) + " has " + std::to_string(extent) + ", and the length must be at least 1");
}

// The first `n` elements along the axis, zeros after those there are.
Array resize(const Array& x, int axis, std::int64_t n) {
  const std::int64_t extent = x.shape()[axis];
  Dims shape = x.shape();
  shape[axis] = n;
  if (n <= extent) return x.view(std::move(shape), x.strides());
  const Array out = full(shape, {std::int64_t{0}}, x.dtype(), x.device());
  if (x.size() != 0) copy_into(out.view(x.shape(), out.strides()), x);
  return out;
}

// Dimensions but the axis, then the axis.
Dims axis_last(Dims dims, int axis) {
  const std::int64_t value = dims[axis];
  dims.erase(axis);
  dims.push_back(value);
  return dims;
}

// One launch over rows of `n`; into `x` itself where it is `spare`.
Array transform(Op op, bool inverse, const Array& x, int axis, std::int64_t n, double scale, bool spare) {
  Dims shape = x.shape();
  shape[axis] = op == Op::rfft ? n / 2 + 1 : n;
  const Dtype dtype = op == Op::fft ? x.dtype() : op == Op::rfft ? complex_of(x.dtype()) : real_part(x.dtype());
  Array out = spare && op == Op::fft ? x : Array::empty(shape, dtype, x.device());
  if (out.size() == 0) return out;
  Launch launch;
  launch.op = op;
  launch.dtype = x.dtype();
  launch.shape = axis_last(x.shape(), axis);
  launch.shape.back() = n;
  launch.noperands = 2;
  launch.operands[0] = {.data = x.data(), .dtype = x.dtype(), .strides = axis_last(x.strides(), axis)};
  launch.operands[1] = {.data = out.data(), .dtype = dtype, .strides = axis_last(out.strides(), axis)};
  launch.integers[0] = inverse;
  launch.scalars[0] = scale;
  x.device().launch(std::move(launch));
  return out;
}

double scale_of(FourierNorm norm, bool inverse, double count) noexcept {
  if (norm == FourierNorm::ortho) return 1 / std::sqrt(count);
  return (norm == FourierNorm::backward) == inverse ? 1 / count : 1;
}

Array conjugate(const Array& x) {
  const std::array<Argument, 1> arguments{&x};
  return elementwise(Op::conj, arguments);
}

// Axes and how many elements each is transformed over, for a checked dtype.
struct Plan {
  Dims axes, lengths;
};

Plan plan_axes(Fourier function, Op op, const Array& x, const std::optional<Dims>& s, const std::optional<Dims>& axes) {
  const char* op_name = name(function);
  if (s && !axes) {
    throw ValueError(std::string(op_name) + ": s " + to_string(*s) + " needs axes, which it gives the lengths of");
  }
  if (s && s->size() != axes->size()) {
    throw DimensionError(std::string(op_name) + ": s " + to_string(*s) + " and axes " + to_string(*axes) +
                         " differ in length");
  }
  Plan plan;
  const int count = axes ? axes->size() : x.ndim();
  for (int i = 0; i < count; ++i) {
    const int axis = axes ? normalize_axis((*axes)[i], x.ndim(), op_name) : i;
    if (std::find(plan.axes.begin(), plan.axes.end(), axis) != plan.axes.end()) {
      throw DimensionError(std::string(op_name) + ": axis " + std::to_string((*axes)[i]) + " is named twice in " +
                           to_string(*axes));
    }
    const std::int64_t extent = x.shape()[axis];
    const bool doubled = op == Op::irfft && i == count - 1;
    const bool given = s && (*s)[i] != -1;
    const std::int64_t n = given ? (*s)[i] : doubled ? 2 * (extent - 1) : extent;
    require_length(function, n, extent, axis);
    plan.axes.push_back(axis);
    plan.lengths.push_back(n);
  }
  return plan;
}

Array run(Fourier function, const Array& x, const Plan& plan, FourierNorm norm) {
  const auto [op, inverse, conjugated] = kind_of(function);
  const Dtype dtype = transformed_dtype(function, op, x.dtype());
  double count = 1;
  for (const auto n : plan.lengths) count *= static_cast<double>(n);
  const double scale = scale_of(norm, inverse, count);
  const int last = plan.axes.size() - 1;
  Array at = astype_if_needed(x, dtype);
  if (conjugated && op == Op::irfft) at = conjugate(at);
  // Real numbers are the first to go and the last to come.
  bool spare = at.data() != x.data();
  const auto step = [&](int i, Op step_op, double factor) {
    const int axis = static_cast<int>(plan.axes[i]);
    const std::int64_t n = plan.lengths[i], taken = step_op == Op::irfft ? n / 2 + 1 : n;
    spare = taken > at.shape()[axis] || (spare && taken == at.shape()[axis]);
    at = transform(step_op, inverse, resize(at, axis, taken), axis, n, factor, spare);
    spare = true;
  };
  if (op != Op::irfft) step(last, op, last == 0 ? scale : 1);
  for (int i = last - 1; i >= 0; --i) step(i, Op::fft, i == 0 && op != Op::irfft ? scale : 1);
  if (op == Op::irfft) step(last, op, scale);
  return conjugated && op == Op::rfft ? conjugate(at) : at;
}

}  // namespace

const char* name(Fourier function) noexcept { return kNames[static_cast<std::size_t>(function)]; }

Fourier fourier_of(std::string_view word) {
  const auto found = std::find(kNames.begin(), kNames.end(), word);
  if (found == kNames.end()) throw ValueError("fft: no transform '" + std::string(word) + "'");
  return static_cast<Fourier>(found - kNames.begin());
}

FourierNorm fourier_norm_of(std::string_view word, const char* op) {
  if (word == "backward") return FourierNorm::backward;
  if (word == "ortho") return FourierNorm::ortho;
  if (word == "forward") return FourierNorm::forward;
  throw ValueError(std::string(op) + ": norm is 'backward', 'ortho' or 'forward', not '" + std::string(word) + "'");
}

Array fourier(Fourier function, const Array& x, std::optional<std::int64_t> n, std::int64_t axis, FourierNorm norm) {
  const Op op = kind_of(function).op;
  transformed_dtype(function, op, x.dtype());
  const int place = normalize_axis(axis, x.ndim(), name(function));
  const std::int64_t extent = x.shape()[place];
  const std::int64_t length = n.value_or(op == Op::irfft ? 2 * (extent - 1) : extent);
  require_length(function, length, extent, place);
  return run(function, x, {{place}, {length}}, norm);
}

Array fourier(Fourier function, const Array& x, const std::optional<Dims>& s, const std::optional<Dims>& axes,
              FourierNorm norm) {
  const Op op = kind_of(function).op;
  const Dtype dtype = transformed_dtype(function, op, x.dtype());
  const Plan plan = plan_axes(function, op, x, s, axes);
  if (!plan.axes.empty()) return run(function, x, plan, norm);
  if (op != Op::fft) {
    throw ValueError(std::string(name(function)) + ": needs at least one axis, between real and complex numbers");
  }
  return astype(x, dtype);
}

Array fourier_frequencies(std::int64_t n, double spacing, bool real, Dtype dtype, Device& device) {
  const char* op = real ? "rfftfreq" : "fftfreq";
  if (n < 1) throw ValueError(std::string(op) + ": n must be at least 1, not " + std::to_string(n));
  if (spacing == 0) throw ValueError(std::string(op) + ": d, the spacing of samples, cannot be 0");
  if (!is_real_floating(dtype)) {
    throw DtypeError(std::string(op) + ": takes a real floating-point dtype, not " + std::string(name(dtype)));
  }
  const auto count = [&](std::int64_t first, std::int64_t end) {
    return arange({first}, {end}, {std::int64_t{1}}, Dtype::float64, device);
  };
  Array numbers = count(0, real ? n / 2 + 1 : (n + 1) / 2);
  if (!real && n > 1) {
    const Array low = numbers, high = count(-(n / 2), 0);
    numbers = Array::empty({n}, Dtype::float64, device);
    copy_into(numbers.view(low.shape(), low.strides()), low);
    copy_into(numbers.view(high.shape(), high.strides(), low.nbytes()), high);
  }
  const std::array<Argument, 2> arguments{&numbers, Scalar{1 / (static_cast<double>(n) * spacing)}};
  return astype_if_needed(elementwise(Op::multiply, arguments), dtype);
}

Array shift_zero_frequency(const Array& x, const std::optional<Dims>& axes, bool inverse) {
  const char* op = inverse ? "ifftshift" : "fftshift";
  Dims shifts(x.ndim());  // where element 0 goes
  const int count = axes ? axes->size() : x.ndim();
  for (int i = 0; i < count; ++i) {
    const int axis = axes ? normalize_axis((*axes)[i], x.ndim(), op) : i;
    const std::int64_t extent = x.shape()[axis];
    if (extent == 0) continue;
    shifts[axis] = (shifts[axis] + (inverse ? extent - extent / 2 : extent / 2)) % extent;
  }
  const Array out = Array::empty(x.shape(), x.dtype(), x.device());
  if (out.size() == 0) return out;
  // Each axis in two parts that change places.
  const auto move = [&](auto& self, int axis, const Array& to, const Array& from) -> void {
    if (axis == x.ndim()) return copy_into(to, from);
    const std::int64_t extent = x.shape()[axis], shift = shifts[axis];
    const auto part = [&](std::int64_t to_begin, std::int64_t from_begin, std::int64_t length) {
      if (length == 0) return;
      Dims shape = to.shape();
      shape[axis] = length;
      self(self, axis + 1, to.view(shape, to.strides(), to_begin * to.strides()[axis]),
           from.view(shape, from.strides(), from_begin * from.strides()[axis]));
    };
    part(shift, 0, extent - shift);
    part(0, extent - shift, shift);
  };
  move(move, 0, out, x);
  return out;
}

}  // namespace crossdock
