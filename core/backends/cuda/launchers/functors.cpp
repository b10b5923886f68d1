#include "functors.h"

#include <array>

namespace crossdock::cuda {

namespace {

constexpr std::uint32_t bit(Dtype dtype) { return std::uint32_t{1} << static_cast<int>(dtype); }

constexpr std::uint32_t kBool = bit(Dtype::bool_);
constexpr std::uint32_t kIntegers = bit(Dtype::int8) | bit(Dtype::int16) | bit(Dtype::int32) | bit(Dtype::int64) |
                                    bit(Dtype::uint8) | bit(Dtype::uint16) | bit(Dtype::uint32) | bit(Dtype::uint64);
constexpr std::uint32_t kHalf = bit(Dtype::float16) | bit(Dtype::bfloat16);
constexpr std::uint32_t kReal = kHalf | bit(Dtype::float32) | bit(Dtype::float64);
constexpr std::uint32_t kComplex = bit(Dtype::complex64) | bit(Dtype::complex128);

constexpr auto same = ResultKind::same, boolean = ResultKind::boolean, real = ResultKind::real;
constexpr auto light = Cost::light, heavy = Cost::heavy;

constexpr Functor unary(Op op, const char* name, std::uint32_t dtypes, ResultKind result = same, Cost cost = light,
                        bool modular = false) {
  return {op, 1, name, dtypes, result, cost, modular};
}
constexpr Functor binary(Op op, const char* name, std::uint32_t dtypes, ResultKind result = same, Cost cost = light,
                         bool modular = false) {
  return {op, 2, name, dtypes, result, cost, modular};
}

// An operation may have several, for different dtypes.
constexpr Functor kFunctors[] = {
    unary(Op::negative, "functors::Negative", kIntegers | kReal | kComplex, same, light, true),
    unary(Op::abs, "functors::Abs", kIntegers | kReal | kComplex, real),
    unary(Op::sign, "functors::Sign", kIntegers | kReal | kComplex),
    unary(Op::square, "functors::Square", kIntegers | kReal | kComplex, same, light, true),
    unary(Op::sqrt, "functors::Sqrt", kReal | kComplex),
    unary(Op::reciprocal, "functors::Reciprocal", kReal | kComplex),
    unary(Op::exp, "functors::Exp", kReal | kComplex, same, heavy),
    unary(Op::expm1, "functors::Expm1", kReal | kComplex, same, heavy),
    unary(Op::log, "functors::Log", kReal | kComplex, same, heavy),
    unary(Op::log1p, "functors::Log1p", kReal | kComplex, same, heavy),
    unary(Op::log2, "functors::Log2", kReal | kComplex, same, heavy),
    unary(Op::log10, "functors::Log10", kReal | kComplex, same, heavy),
    unary(Op::sin, "functors::Sin", kReal | kComplex, same, heavy),
    unary(Op::cos, "functors::Cos", kReal | kComplex, same, heavy),
    unary(Op::tan, "functors::Tan", kReal | kComplex, same, heavy),
    unary(Op::asin, "functors::Asin", kReal | kComplex, same, heavy),
    unary(Op::acos, "functors::Acos", kReal | kComplex, same, heavy),
    unary(Op::atan, "functors::Atan", kReal | kComplex, same, heavy),
    unary(Op::sinh, "functors::Sinh", kReal | kComplex, same, heavy),
    unary(Op::cosh, "functors::Cosh", kReal | kComplex, same, heavy),
    unary(Op::tanh, "functors::Tanh", kReal | kComplex, same, heavy),
    unary(Op::asinh, "functors::Asinh", kReal | kComplex, same, heavy),
    unary(Op::acosh, "functors::Acosh", kReal | kComplex, same, heavy),
    unary(Op::atanh, "functors::Atanh", kReal | kComplex, same, heavy),
    unary(Op::floor, "functors::Floor", kReal),
    unary(Op::ceil, "functors::Ceil", kReal),
    unary(Op::trunc, "functors::Trunc", kReal),
    unary(Op::round, "functors::Round", kReal | kComplex),
    unary(Op::isnan, "functors::IsNan", kReal | kComplex, boolean),
    unary(Op::isinf, "functors::IsInf", kReal | kComplex, boolean),
    unary(Op::isfinite, "functors::IsFinite", kReal | kComplex, boolean),
    unary(Op::signbit, "functors::SignBit", kReal, boolean),
    unary(Op::logical_not, "functors::LogicalNot", kBool),
    unary(Op::bitwise_invert, "functors::LogicalNot", kBool),
    unary(Op::bitwise_invert, "functors::BitwiseInvert", kIntegers, same, light, true),
    unary(Op::real, "functors::RealPart", kComplex, real),
    unary(Op::imag, "functors::ImaginaryPart", kComplex, real),
    unary(Op::conj, "functors::Conjugate", kComplex),
    binary(Op::add, "functors::Add", kIntegers | kReal | kComplex, same, light, true),
    binary(Op::subtract, "functors::Subtract", kIntegers | kReal | kComplex, same, light, true),
    binary(Op::multiply, "functors::Multiply", kIntegers | kReal | kComplex, same, light, true),
    binary(Op::divide, "functors::Divide", kReal | kComplex),
    binary(Op::floor_divide, "functors::FloorDivide", kIntegers | kReal, same, heavy),
    binary(Op::remainder, "functors::Remainder", kIntegers | kReal, same, heavy),
    binary(Op::pow, "functors::Pow", kIntegers | kReal | kComplex, same, heavy),
    binary(Op::maximum, "functors::Maximum", kIntegers | kReal),
    binary(Op::minimum, "functors::Minimum", kIntegers | kReal),
    binary(Op::atan2, "functors::Atan2", kReal, same, heavy),
    binary(Op::hypot, "functors::Hypot", kReal, same, heavy),
    binary(Op::copysign, "functors::CopySign", kReal),
    binary(Op::logaddexp, "functors::LogAddExp", kReal, same, heavy),
    binary(Op::nextafter, "functors::NextAfter", bit(Dtype::float32) | bit(Dtype::float64)),
    binary(Op::nextafter, "NextAfterIn<functors::Float16>", bit(Dtype::float16)),
    binary(Op::nextafter, "NextAfterIn<functors::BFloat16>", bit(Dtype::bfloat16)),
    binary(Op::equal, "functors::LogicalEqual", kBool, boolean),
    binary(Op::equal, "functors::Equal", kIntegers | kReal | kComplex, boolean, light, true),
    binary(Op::not_equal, "functors::LogicalXor", kBool, boolean),
    binary(Op::not_equal, "functors::NotEqual", kIntegers | kReal | kComplex, boolean, light, true),
    binary(Op::less, "functors::Less", kIntegers | kReal, boolean),
    binary(Op::less_equal, "functors::LessEqual", kIntegers | kReal, boolean),
    binary(Op::greater, "functors::Greater", kIntegers | kReal, boolean),
    binary(Op::greater_equal, "functors::GreaterEqual", kIntegers | kReal, boolean),
    binary(Op::logical_and, "functors::LogicalAnd", kBool),
    binary(Op::logical_or, "functors::LogicalOr", kBool),
    binary(Op::logical_xor, "functors::LogicalXor", kBool),
    binary(Op::bitwise_and, "functors::LogicalAnd", kBool),
    binary(Op::bitwise_and, "functors::BitwiseAnd", kIntegers, same, light, true),
    binary(Op::bitwise_or, "functors::LogicalOr", kBool),
    binary(Op::bitwise_or, "functors::BitwiseOr", kIntegers, same, light, true),
    binary(Op::bitwise_xor, "functors::LogicalXor", kBool),
    binary(Op::bitwise_xor, "functors::BitwiseXor", kIntegers, same, light, true),
    binary(Op::bitwise_left_shift, "functors::LeftShift", kIntegers, same, light, true),
    binary(Op::bitwise_right_shift, "functors::RightShift", kIntegers),
};

using Index = std::array<std::array<const Functor*, kDtypeCount>, kOpCount>;

constexpr Index make_index() {
  Index index{};
  for (const Functor& functor : kFunctors) {
    for (int dtype = 0; dtype < kDtypeCount; ++dtype) {
      if (functor.dtypes >> dtype & 1)
        index[static_cast<std::size_t>(functor.op)][static_cast<std::size_t>(dtype)] = &functor;
    }
  }
  return index;
}
constexpr Index kIndex = make_index();

}  // namespace

Dtype Functor::kernel_dtype(Dtype dtype) const noexcept {
  if (!modular || kind(dtype) != DtypeKind::signed_integer) return dtype;
  return static_cast<Dtype>(static_cast<int>(dtype) + static_cast<int>(Dtype::uint8) - static_cast<int>(Dtype::int8));
}

Dtype Functor::result_dtype(Dtype dtype) const noexcept {
  return result == ResultKind::boolean ? Dtype::bool_ : result == ResultKind::real ? real_part(dtype) : dtype;
}

const Functor* find_functor(Op op, Dtype dtype) noexcept {
  return kIndex[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)];
}

}  // namespace crossdock::cuda
