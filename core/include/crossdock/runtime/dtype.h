// Dtype: the element types that an array can hold, and their facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crossdock {

// In the order of the array API standard, then the types for storage and casts. The numbers index kernel tables.
enum class Dtype : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  float8_e4m3fn,
  float8_e5m2,
  int4,
  uint4,
};
inline constexpr int kDtypeCount = 19;

enum class DtypeKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  real_floating,
  complex_floating,
  storage,  // float8, int4, uint4: copied and cast, not computed with
};

struct DtypeInfo {
  std::string_view name;  // 'float32'
  int itemsize;           // bytes of one element in memory; int4 and uint4 take one byte each
  DtypeKind kind;
  std::uint8_t dlpack_code;  // DLDataTypeCode
  std::uint8_t dlpack_bits;
};

const DtypeInfo& info(Dtype dtype) noexcept;
inline int itemsize(Dtype dtype) noexcept { return info(dtype).itemsize; }
inline std::string_view name(Dtype dtype) noexcept { return info(dtype).name; }
inline DtypeKind kind(Dtype dtype) noexcept { return info(dtype).kind; }
std::optional<Dtype> find_dtype(std::string_view name) noexcept;
std::optional<Dtype> find_dtype(std::uint8_t dlpack_code, std::uint8_t dlpack_bits, std::uint16_t lanes) noexcept;

inline bool is_integer(Dtype d) noexcept {
  return kind(d) == DtypeKind::signed_integer || kind(d) == DtypeKind::unsigned_integer;
}
inline bool is_real_floating(Dtype d) noexcept { return kind(d) == DtypeKind::real_floating; }
inline bool is_complex(Dtype d) noexcept { return kind(d) == DtypeKind::complex_floating; }
inline bool is_floating(Dtype d) noexcept { return is_real_floating(d) || is_complex(d); }

// The dtype of an operation on `a` and `b` (array API standard, "Type promotion rules"); empty where the standard has
// none.
std::optional<Dtype> promote(Dtype a, Dtype b) noexcept;
// float32 for complex64, float64 for complex128, itself for the others.
Dtype real_part(Dtype dtype) noexcept;

}  // namespace crossdock
