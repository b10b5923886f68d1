// OrderKey: elements as unsigned numbers whose order is the order of sorting: NaN above all, all NaNs alike, -0.0 and
// 0.0 alike. One type per itemsize serves every dtype of that size, so that there is one kernel per size.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crossdock/runtime/dtype.h"

namespace crossdock::native {

template <std::unsigned_integral Bits>
class OrderKey {
 public:
  // bool, an integer or a real floating-point dtype of this size. Descending keys are the complements.
  explicit OrderKey(Dtype dtype, bool descending = false) noexcept : flip_(descending ? kAll : Bits{0}) {
    if (kind(dtype) == DtypeKind::signed_integer) {
      positive_ = negative_ = kSign;
    } else if (is_real_floating(dtype)) {
      positive_ = kSign;
      negative_ = kAll;
      infinity_ = infinity(dtype);
      zero_ = kSign;
    }
    zero_key_ = positive_;
  }

  Bits operator()(Bits bits) const noexcept {
    auto key = static_cast<Bits>(bits ^ (bits & kSign ? negative_ : positive_));
    key = bits == zero_ ? zero_key_ : key;
    key = is_nan(bits) ? kAll : key;
    return key ^ flip_;
  }
  Bits operator()(const std::byte* element) const noexcept {
    Bits bits;
    std::memcpy(&bits, element, sizeof bits);
    return (*this)(bits);
  }
  bool is_nan(Bits bits) const noexcept { return static_cast<Bits>(bits & ~kSign) > infinity_; }

 private:
  static constexpr auto kAll = static_cast<Bits>(~Bits{0});
  static constexpr auto kSign = static_cast<Bits>(kAll / 2 + 1);

  static Bits infinity(Dtype dtype) noexcept {
    const int mantissa = dtype == Dtype::float16    ? 10
                         : dtype == Dtype::bfloat16 ? 7
                         : dtype == Dtype::float32  ? 23
                                                    : 52;
    return static_cast<Bits>((kSign - 1) >> mantissa << mantissa);
  }

  Bits positive_ = 0, negative_ = 0;  // what is flipped in elements without and with the highest bit
  Bits infinity_ = kSign - 1;         // larger magnitudes are NaN
  Bits zero_ = 0, zero_key_ = 0;      // the element that is another zero
  Bits flip_;
};

}  // namespace crossdock::native
