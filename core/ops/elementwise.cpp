#include "crossdock/ops/elementwise.h"

#include <array>
#include <string>
#include <vector>

#include "crossdock/ops/copy.h"
#include "crossdock/ops/rule.h"
#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

// A weak scalar of a higher kind than the arrays has no rule, but for a complex beside real floats.
Dtype with_weak(const char* op, Dtype dtype, const Scalar& scalar) {
  const auto refuse = [&](const char* type) -> Dtype {
    throw DtypeError(std::string(op) + ": a Python " + type + " (" + scalar.text() + ") does not go with " +
                     std::string(name(dtype)) + "; convert the array with astype first");
  };
  if (std::holds_alternative<bool>(scalar.value)) return dtype == Dtype::bool_ ? dtype : refuse("bool");
  if (std::holds_alternative<double>(scalar.value)) return is_floating(dtype) ? dtype : refuse("float");
  if (std::holds_alternative<std::complex<double>>(scalar.value)) {
    if (is_complex(dtype)) return dtype;
    if (dtype == Dtype::float32) return Dtype::complex64;
    if (dtype == Dtype::float64) return Dtype::complex128;
    return refuse("complex");
  }
  return is_integer(dtype) || is_floating(dtype) ? dtype : refuse("int");
}

std::optional<Dtype> strong_dtype(const Argument& argument) {
  if (const auto* array = std::get_if<const Array*>(&argument)) return (*array)->dtype();
  return std::get<Scalar>(argument).dtype;
}

const Dims& shape_of(const Argument& argument) {
  static const Dims kScalar{};
  const auto* array = std::get_if<const Array*>(&argument);
  return array ? (*array)->shape() : kScalar;
}

Dims common_shape(const char* op, std::span<const Argument> arguments) {
  try {
    Dims shape = shape_of(arguments[0]);
    for (const Argument& argument : arguments.subspan(1)) shape = broadcast_shapes(shape, shape_of(argument));
    checked_size(shape);
    return shape;
  } catch (const DimensionError& error) {
    throw DimensionError(std::string(op) + ": " + error.what());
  }
}

// All operands C-contiguous and of the output's shape (or scalars): one flat run, whatever the number of dimensions.
bool is_flat(std::span<const Argument> arguments, const Array& out) {
  if (!out.is_c_contiguous()) return false;
  for (const Argument& argument : arguments) {
    if (const auto* array = std::get_if<const Array*>(&argument)) {
      if (!((*array)->shape() == out.shape()) || !(*array)->is_c_contiguous()) return false;
    }
  }
  return true;
}

// Arguments already have the launch's dtypes; `dtypes[i]` is what a scalar is stored as.
void launch(Op op, Dtype dtype, std::span<const Argument> arguments, std::span<const Dtype> dtypes, const Array& out) {
  if (out.size() == 0) return;
  Launch launch;
  launch.op = op;
  launch.dtype = dtype;
  const bool flat = is_flat(arguments, out);
  launch.shape = flat ? Dims{out.size()} : out.shape();
  const auto place = [&](Operand& operand, const Array& array) {
    operand.data = array.data();
    operand.dtype = array.dtype();
    operand.strides = flat ? Dims{array.itemsize()} : broadcast_strides(array.shape(), array.strides(), out.shape());
  };
  for (const Argument& argument : arguments) {
    Operand& operand = launch.operands[static_cast<std::size_t>(launch.noperands)];
    if (const auto* array = std::get_if<const Array*>(&argument)) {
      place(operand, **array);
    } else {
      operand.dtype = dtypes[static_cast<std::size_t>(launch.noperands)];
      store(std::get<Scalar>(argument), operand.dtype, operand.immediate);
      operand.strides = Dims(launch.shape.size());
    }
    ++launch.noperands;
  }
  place(launch.operands[static_cast<std::size_t>(launch.noperands++)], out);
  out.device().launch(std::move(launch));
}

// Array arguments of another dtype are converted; `keep` owns the results.
class Converted {
 public:
  Converted(std::span<const Argument> arguments, Dtype dtype) : count_(arguments.size()) {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto* array = std::get_if<const Array*>(&arguments[i]);
      if (array && (*array)->dtype() != dtype) {
        keep_[i].emplace(astype(**array, dtype));
        arguments_[i] = &*keep_[i];
      } else {
        arguments_[i] = arguments[i];
      }
    }
  }
  std::span<const Argument> arguments() const noexcept { return {arguments_.data(), count_}; }

 private:
  std::size_t count_;
  std::array<std::optional<Array>, 3> keep_;
  std::array<Argument, 3> arguments_{};
};

void run(Op op, Dtype dtype, std::span<const Argument> arguments, const Array& out) {
  const Converted converted(arguments, dtype);
  const std::array<Dtype, 2> dtypes{dtype, dtype};
  launch(op, dtype, converted.arguments(), dtypes, out);
}

// The number that x ** number raises to, if it is one. As NumPy: an integer has no negative power that is one. (A whole
// array of exponents is not looked through; negative ones give 0 there.)
std::optional<double> checked_exponent(Op op, Dtype dtype, const Argument& exponent) {
  const auto* scalar = op == Op::pow ? std::get_if<Scalar>(&exponent) : nullptr;
  if (!scalar || std::holds_alternative<std::complex<double>>(scalar->value)) return std::nullopt;
  std::byte element[16];
  store(*scalar, Dtype::float64, element);
  const double value = std::get<double>(load(element, Dtype::float64).value);
  if (value < 0 && is_integer(dtype)) {
    throw ValueError("pow: " + std::string(name(dtype)) + " has no negative powers (exponent " + scalar->text() +
                     "); convert with astype to a floating-point dtype first");
  }
  return value;
}

}  // namespace

Dtype common_dtype(const char* op, std::span<const Argument> arguments) {
  std::optional<Dtype> dtype;
  for (const Argument& argument : arguments) {
    const auto strong = strong_dtype(argument);
    if (!strong) continue;
    if (!dtype || *dtype == *strong) {
      dtype = strong;
      continue;
    }
    const auto both = promote(*dtype, *strong);
    if (!both) {
      throw DtypeError(std::string(op) + ": no common dtype for " + std::string(name(*dtype)) + " and " +
                       std::string(name(*strong)) + "; convert one with astype");
    }
    dtype = both;
  }
  if (!dtype) throw TypeError(std::string(op) + ": at least one argument must be an array");
  for (const Argument& argument : arguments) {
    const auto* scalar = std::get_if<Scalar>(&argument);
    if (scalar && !scalar->dtype) dtype = with_weak(op, *dtype, *scalar);
  }
  return *dtype;
}

Device& common_device(const char* op, std::span<const Argument> arguments) {
  Device* device = nullptr;
  bool mixed = false;
  for (const Argument& argument : arguments) {
    const auto* array = std::get_if<const Array*>(&argument);
    if (!array) continue;
    if (device && device != &(*array)->device()) mixed = true;
    device = &(*array)->device();
  }
  if (!device) throw TypeError(std::string(op) + ": at least one argument must be an array");
  if (!mixed) return *device;
  std::vector<std::pair<int, std::string>> places;
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* array = std::get_if<const Array*>(&arguments[i])) {
      places.emplace_back(static_cast<int>(i), (*array)->device().spec());
      text +=
          (text.empty() ? "" : ", ") + ("argument " + std::to_string(i) + " on '" + (*array)->device().spec() + "'");
    }
  }
  throw MixedDevicesError(std::string(op) + ": arguments on several devices: " + text +
                              "; move one with its to_device, or with get_device(...).send",
                          std::move(places));
}

Array elementwise(Op op, std::span<const Argument> arguments) {
  const char* text = name(op).data();
  Device& device = common_device(text, arguments);
  const Rule rules = rule(op);
  const Dtype dtype = common_dtype(text, arguments);
  require(op, rules.takes, dtype);
  if (checked_exponent(op, dtype, arguments.back()) == 2.0) {
    const Array base = astype_if_needed(*std::get<const Array*>(arguments[0]), dtype);
    return elementwise(Op::square, std::array<Argument, 1>{&base});  // many times faster, and exact
  }
  Array out = Array::empty(common_shape(text, arguments), result_dtype(rules.gives, dtype), device);
  run(op, dtype, arguments, out);
  return out;
}

void elementwise_in_place(Op op, const Array& out, const Argument& other) {
  const char* text = name(op).data();
  const std::array<Argument, 2> arguments{&out, other};
  common_device(text, arguments);
  out.require_writable(text);
  const Dtype dtype = common_dtype(text, arguments);
  require(op, rule(op).takes, dtype);
  checked_exponent(op, dtype, other);
  if (result_dtype(rule(op).gives, dtype) != out.dtype()) {
    throw DtypeError(std::string(text) + ": the result has dtype " + std::string(name(dtype)) +
                     " and cannot be stored in place in " + std::string(name(out.dtype())));
  }
  if (!(common_shape(text, arguments) == out.shape())) {
    throw DimensionError(std::string(text) + ": shape " + to_string(shape_of(other)) + " does not broadcast to " +
                         to_string(out.shape()) + " in place");
  }
  const auto* array = std::get_if<const Array*>(&other);
  const bool same_elements = array && (*array)->data() == out.data() && (*array)->shape() == out.shape() &&
                             (*array)->strides() == out.strides();
  if (array && !same_elements && may_overlap(out, **array)) {
    const Array apart = copy(**array);
    run(op, dtype, std::array<Argument, 2>{&out, &apart}, out);
  } else {
    run(op, dtype, arguments, out);
  }
}

Array where(const Argument& condition, const Argument& a, const Argument& b) {
  const std::array<Argument, 3> all{condition, a, b};
  Device& device = common_device("where", all);
  const bool is_bool = std::holds_alternative<const Array*>(condition)
                           ? strong_dtype(condition) == Dtype::bool_
                           : std::holds_alternative<bool>(std::get<Scalar>(condition).value);
  if (!is_bool) throw DtypeError("where: the condition must have dtype bool");
  const std::array<Argument, 2> values{a, b};
  Dtype dtype{};
  if (strong_dtype(a) || strong_dtype(b)) {
    dtype = common_dtype("where", values);
  } else {
    throw TypeError("where: at least one of x1 and x2 must be an array; astype(condition, dtype) gives 1 and 0");
  }
  Array out = Array::empty(common_shape("where", all), dtype, device);
  const Converted converted(values, dtype);
  const std::array<Argument, 3> arguments{condition, converted.arguments()[0], converted.arguments()[1]};
  launch(Op::where, dtype, arguments, std::array<Dtype, 3>{Dtype::bool_, dtype, dtype}, out);
  return out;
}

Array clip(const Array& x, const std::optional<Argument>& low, const std::optional<Argument>& high) {
  std::vector<Argument> arguments{&x};
  for (const auto& bound : {low, high}) {
    if (bound) arguments.push_back(*bound);
  }
  common_device("clip", arguments);
  const Dtype dtype = common_dtype("clip", arguments);
  if (!is_integer(dtype) && !is_real_floating(dtype)) {
    throw DtypeError("clip: takes a real dtype, not " + std::string(name(dtype)) + "; convert with astype first");
  }
  common_shape("clip", arguments);
  Array out = astype_if_needed(x, dtype);
  if (low) out = elementwise(Op::maximum, std::array<Argument, 2>{&out, *low});
  if (high) out = elementwise(Op::minimum, std::array<Argument, 2>{&out, *high});
  return low || high ? out : copy(x);
}

}  // namespace crossdock
