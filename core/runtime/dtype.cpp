#include "crossdock/runtime/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace crossdock {
namespace {

using enum DtypeKind;

// DLDataTypeCode, as DLPack numbers them.
enum : std::uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6, kE4m3fn = 10, kE5m2 = 12 };

constexpr DtypeInfo kTable[kDtypeCount] = {
    {"bool", 1, boolean, kBool, 8},
    {"int8", 1, signed_integer, kInt, 8},
    {"int16", 2, signed_integer, kInt, 16},
    {"int32", 4, signed_integer, kInt, 32},
    {"int64", 8, signed_integer, kInt, 64},
    {"uint8", 1, unsigned_integer, kUInt, 8},
    {"uint16", 2, unsigned_integer, kUInt, 16},
    {"uint32", 4, unsigned_integer, kUInt, 32},
    {"uint64", 8, unsigned_integer, kUInt, 64},
    {"float16", 2, real_floating, kFloat, 16},
    {"bfloat16", 2, real_floating, kBfloat, 16},
    {"float32", 4, real_floating, kFloat, 32},
    {"float64", 8, real_floating, kFloat, 64},
    {"complex64", 8, complex_floating, kComplex, 64},
    {"complex128", 16, complex_floating, kComplex, 128},
    {"float8_e4m3fn", 1, storage, kE4m3fn, 8},
    {"float8_e5m2", 1, storage, kE5m2, 8},
    {"int4", 1, storage, kInt, 4},
    {"uint4", 1, storage, kUInt, 4},
};

// By code and the logarithm of the bits.
constexpr auto kByDlpack = [] {
  std::array<std::array<std::optional<Dtype>, 8>, kE5m2 + 1> table{};
  for (int i = 0; i < kDtypeCount; ++i) {
    const DtypeInfo& row = kTable[i];
    table[row.dlpack_code][static_cast<std::size_t>(std::countr_zero(row.dlpack_bits))] = static_cast<Dtype>(i);
  }
  return table;
}();

template <class Predicate>
std::optional<Dtype> find_if(Predicate&& fits) noexcept {
  auto found = std::find_if(std::begin(kTable), std::end(kTable), fits);
  if (found == std::end(kTable)) return std::nullopt;
  return static_cast<Dtype>(found - std::begin(kTable));
}

// The smallest signed type that holds both; none holds uint64.
std::optional<Dtype> promote_signs(Dtype with_sign, Dtype without) noexcept {
  int width = std::max(itemsize(with_sign), 2 * itemsize(without));
  if (width > 8) return std::nullopt;
  return static_cast<Dtype>(static_cast<int>(Dtype::int8) + std::countr_zero(static_cast<unsigned>(width)));
}

// Reals of one width (float16, bfloat16) hold different numbers, and no type of that width holds both.
std::optional<Dtype> promote_reals(Dtype a, Dtype b) noexcept {
  if (itemsize(a) == itemsize(b)) return std::nullopt;
  return itemsize(a) > itemsize(b) ? a : b;
}

Dtype promote_complex(Dtype a, Dtype b) noexcept {
  bool wide = std::max(itemsize(real_part(a)), itemsize(real_part(b))) == 8;
  return wide ? Dtype::complex128 : Dtype::complex64;
}

}  // namespace

const DtypeInfo& info(Dtype dtype) noexcept { return kTable[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> find_dtype(std::string_view name) noexcept {
  return find_if([&](const DtypeInfo& row) { return row.name == name; });
}

std::optional<Dtype> find_dtype(std::uint8_t dlpack_code, std::uint8_t dlpack_bits, std::uint16_t lanes) noexcept {
  if (lanes != 1 || dlpack_code > kE5m2 || dlpack_bits == 0 || dlpack_bits & (dlpack_bits - 1)) return std::nullopt;
  return kByDlpack[dlpack_code][static_cast<std::size_t>(std::countr_zero(dlpack_bits))];
}

std::optional<Dtype> promote(Dtype a, Dtype b) noexcept {
  if (a == b) return a;
  if (is_integer(a) && is_integer(b)) {
    if (kind(a) == kind(b)) return itemsize(a) > itemsize(b) ? a : b;
    return kind(a) == signed_integer ? promote_signs(a, b) : promote_signs(b, a);
  }
  if (is_real_floating(a) && is_real_floating(b)) return promote_reals(a, b);
  if (is_floating(a) && is_floating(b)) return promote_complex(a, b);
  return std::nullopt;
}

Dtype real_part(Dtype dtype) noexcept {
  if (dtype == Dtype::complex64) return Dtype::float32;
  if (dtype == Dtype::complex128) return Dtype::float64;
  return dtype;
}

}  // namespace crossdock
