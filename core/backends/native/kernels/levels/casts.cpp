// Conversions between the types that are computed with, and of each storage type to and from one of those.
#include "crossdock/functors/cast.h"
#include "crossdock/functors/float8.h"
#include "crossdock/functors/int4.h"
#include "elementwise.h"
#include "half_loops.h"
#include "level.h"

namespace crossdock::native {
namespace {

using namespace functors;

template <class To, class From>
struct Cast {
  CROSSDOCK_HD To operator()(From value) const { return cast<To>(value); }
};
template <class To>
struct CastBool {  // any byte but 0 is true
  CROSSDOCK_HD To operator()(std::uint8_t value) const { return value != 0 ? cast<To>(std::uint8_t{1}) : To{}; }
};
struct IsNonzero {
  template <class T>
  CROSSDOCK_HD bool operator()(T value) const {
    if constexpr (functors::is_complex<T>)
      return (value.re != 0) | (value.im != 0);
    else
      return value != 0;
  }
};

Loop& at(LoopTable& table, Dtype from, Dtype to) { return table.cast[static_cast<int>(from)][static_cast<int>(to)]; }

template <class To, class From>
void set(LoopTable& table) {
  at(table, dtype_of<From>, dtype_of<To>) = &unary_loop<Cast<To, From>, From>;
}

template <class From>
void set_to_floating(LoopTable& table) {
  set<float, From>(table);
  set<double, From>(table);
  set<complex64, From>(table);
  set<complex128, From>(table);
}
template <class From>
void set_to_integers(LoopTable& table) {
  set<std::int8_t, From>(table);
  set<std::int16_t, From>(table);
  set<std::int32_t, From>(table);
  set<std::int64_t, From>(table);
  set<std::uint8_t, From>(table);
  set<std::uint16_t, From>(table);
  set<std::uint32_t, From>(table);
  set<std::uint64_t, From>(table);
}
template <class From>
void set_bool(LoopTable& table) {
  at(table, Dtype::bool_, dtype_of<From>) = &unary_loop<CastBool<From>, std::uint8_t>;
  at(table, dtype_of<From>, Dtype::bool_) = &unary_loop<IsNonzero, From>;
}

// Between integers the target's sign does not matter, and the source's only where it is widened.
template <class From>
void set_between_integers(LoopTable& table) {
  const auto set_both = [&table](int to, Loop loop) {
    table.cast[static_cast<int>(dtype_of<From>)][static_cast<int>(Dtype::int8) + to] = loop;
    table.cast[static_cast<int>(dtype_of<From>)][static_cast<int>(Dtype::uint8) + to] = loop;
  };
  set_both(0, &unary_loop<Cast<std::uint8_t, From>, From>);
  set_both(1, &unary_loop<Cast<std::uint16_t, From>, From>);
  set_both(2, &unary_loop<Cast<std::uint32_t, From>, From>);
  set_both(3, &unary_loop<Cast<std::uint64_t, From>, From>);
}

template <class Integer>
void set_integer(LoopTable& table) {
  set_between_integers<Integer>(table);
  set_to_floating<Integer>(table);
  set_bool<Integer>(table);
}

template <class T>
void set_floating(LoopTable& table) {
  set_to_floating<T>(table);
  set_to_integers<T>(table);
  set_bool<T>(table);
}

struct ToFloat {
  template <class T>
  CROSSDOCK_HD float operator()(T value) const {
    return to_float(value);
  }
};
struct ToFloat8E4M3FN {
  CROSSDOCK_HD Float8E4M3FN operator()(float value) const { return to_float8_e4m3fn(value); }
};
struct ToFloat8E5M2 {
  CROSSDOCK_HD Float8E5M2 operator()(float value) const { return to_float8_e5m2(value); }
};
struct ToInt8 {
  CROSSDOCK_HD std::int8_t operator()(Int4 value) const { return to_int8(value); }
};
struct ToUInt8 {
  CROSSDOCK_HD std::uint8_t operator()(UInt4 value) const { return to_uint8(value); }
};
struct ToInt4 {
  CROSSDOCK_HD Int4 operator()(std::int8_t value) const { return to_int4(value); }
};
struct ToUInt4 {
  CROSSDOCK_HD UInt4 operator()(std::uint8_t value) const { return to_uint4(value); }
};

void set_storage(LoopTable& table) {
  at(table, Dtype::float16, Dtype::float32) = float16_to_float_loop;
  at(table, Dtype::float32, Dtype::float16) = float_to_float16_loop;
  at(table, Dtype::float64, Dtype::float16) = double_to_float16_loop;
  at(table, Dtype::bfloat16, Dtype::float32) = &unary_loop<ToFloat, BFloat16>;
  at(table, Dtype::float32, Dtype::bfloat16) = &unary_loop<ToBFloat16, float>;
  at(table, Dtype::float8_e4m3fn, Dtype::float32) = &unary_loop<ToFloat, Float8E4M3FN>;
  at(table, Dtype::float32, Dtype::float8_e4m3fn) = &unary_loop<ToFloat8E4M3FN, float>;
  at(table, Dtype::float8_e5m2, Dtype::float32) = &unary_loop<ToFloat, Float8E5M2>;
  at(table, Dtype::float32, Dtype::float8_e5m2) = &unary_loop<ToFloat8E5M2, float>;
  at(table, Dtype::int4, Dtype::int8) = &unary_loop<ToInt8, Int4>;
  at(table, Dtype::int8, Dtype::int4) = &unary_loop<ToInt4, std::int8_t>;
  at(table, Dtype::uint4, Dtype::uint8) = &unary_loop<ToUInt8, UInt4>;
  at(table, Dtype::uint8, Dtype::uint4) = &unary_loop<ToUInt4, std::uint8_t>;
}

}  // namespace

void CROSSDOCK_LEVEL::register_casts(LoopTable& table) {
  set_integer<std::int8_t>(table);
  set_integer<std::int16_t>(table);
  set_integer<std::int32_t>(table);
  set_integer<std::int64_t>(table);
  set_integer<std::uint8_t>(table);
  set_integer<std::uint16_t>(table);
  set_integer<std::uint32_t>(table);
  set_integer<std::uint64_t>(table);
  set_floating<float>(table);
  set_floating<double>(table);
  set_floating<complex64>(table);
  set_floating<complex128>(table);
  set_storage(table);
}

}  // namespace crossdock::native
