#include "order_key.h"

namespace crossdock::cuda {

OrderKey order_key(Dtype dtype, bool descending) noexcept {
  const int bits = 8 * itemsize(dtype);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits), sign = std::uint64_t{1} << (bits - 1);
  OrderKey key{};
  key.floating = is_real_floating(dtype);
  key.flip = descending ? all : 0;
  if (key.floating || kind(dtype) == DtypeKind::signed_integer) key.sign = sign;
  if (!key.floating) return key;
  const int mantissa = dtype == Dtype::float16 ? 10 : dtype == Dtype::bfloat16 ? 7 : dtype == Dtype::float32 ? 23 : 52;
  key.magnitude = all ^ sign;
  key.infinity = (sign - 1) >> mantissa << mantissa;
  return key;
}

}  // namespace crossdock::cuda
