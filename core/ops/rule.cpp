#include "crossdock/ops/rule.h"

#include <string>

#include "crossdock/runtime/error.h"

namespace crossdock {

namespace {

bool accepts(Takes takes, Dtype dtype) {
  const bool storage = kind(dtype) == DtypeKind::storage;
  switch (takes) {
    case Takes::any:
      return !storage;
    case Takes::numeric:
      return !storage && dtype != Dtype::bool_;
    case Takes::real:
      return is_integer(dtype) || is_real_floating(dtype);
    case Takes::floating:
      return is_floating(dtype);
    case Takes::real_floating:
      return is_real_floating(dtype);
    case Takes::integer_or_bool:
      return is_integer(dtype) || dtype == Dtype::bool_;
    case Takes::integer:
      return is_integer(dtype);
    case Takes::boolean:
      return dtype == Dtype::bool_;
    case Takes::complex:
      return is_complex(dtype);
  }
  return false;
}

}  // namespace

Rule rule(Op op) noexcept {
  switch (op) {
    case Op::negative:
    case Op::abs:
    case Op::sign:
    case Op::square:
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::pow:
    case Op::conj:
      return {Takes::numeric, op == Op::abs ? Gives::real_part : Gives::same};
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::floor_divide:
    case Op::remainder:
    case Op::maximum:
    case Op::minimum:
      return {Takes::real, Gives::same};
    case Op::round:
      return {Takes::numeric, Gives::same};
    case Op::isnan:
    case Op::isinf:
    case Op::isfinite:
      return {Takes::numeric, Gives::boolean};
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return {Takes::real, Gives::boolean};
    case Op::equal:
    case Op::not_equal:
      return {Takes::any, Gives::boolean};
    case Op::signbit:
      return {Takes::real_floating, Gives::boolean};
    case Op::atan2:
    case Op::hypot:
    case Op::copysign:
    case Op::logaddexp:
    case Op::nextafter:
      return {Takes::real_floating, Gives::same};
    case Op::real:
      return {Takes::numeric, Gives::real_part};
    case Op::imag:
      return {Takes::complex, Gives::real_part};
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return {Takes::boolean, Gives::boolean};
    case Op::bitwise_invert:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return {Takes::integer_or_bool, Gives::same};
    case Op::bitwise_left_shift:
    case Op::bitwise_right_shift:
      return {Takes::integer, Gives::same};
    default:
      return {Takes::floating, Gives::same};
  }
}

const char* words(Takes takes) noexcept {
  switch (takes) {
    case Takes::any:
      return "any dtype that is computed with";
    case Takes::numeric:
      return "a numeric dtype";
    case Takes::real:
      return "a real dtype";
    case Takes::floating:
      return "a floating-point dtype";
    case Takes::real_floating:
      return "a real floating-point dtype";
    case Takes::integer_or_bool:
      return "an integer dtype or bool";
    case Takes::integer:
      return "an integer dtype";
    case Takes::boolean:
      return "bool";
    case Takes::complex:
      return "a complex dtype";
  }
  return "";
}

void require(Op op, Takes takes, Dtype dtype) {
  if (accepts(takes, dtype)) return;
  throw DtypeError(std::string(name(op)) + ": takes " + words(takes) + ", not " + std::string(name(dtype)) +
                   "; convert with astype first");
}

Dtype result_dtype(Gives gives, Dtype dtype) noexcept {
  return gives == Gives::boolean ? Dtype::bool_ : gives == Gives::real_part ? real_part(dtype) : dtype;
}

}  // namespace crossdock
