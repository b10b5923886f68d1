// OrderKey: elements as unsigned numbers whose order is the order of sorting: NaN above all, all NaNs alike, -0.0 and
// 0.0 alike. One type per itemsize serves every dtype of that size, so that there is one kernel per size.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crossdock/runtime/dtype.h"

namespace crossdock::native {

// Without branches: neither signs nor NaNs are predictable.
template <std::unsigned_integral Bits>
class OrderKey {
 public:
  // bool, an integer or a real floating-point dtype of this size. Descending keys are the complements.
  explicit OrderKey(Dtype dtype, bool descending = false) noexcept
      : floating_(is_real_floating(dtype)),
        flip_(descending ? kAll : Bits{0}),
        sign_(floating_ || kind(dtype) == DtypeKind::signed_integer ? kSign : Bits{0}),
        magnitude_(floating_ ? kAll : Bits{0}),
        infinity_(floating_ ? infinity(dtype) : kAll) {}

  Bits operator()(Bits bits) const noexcept {
    const auto zero = static_cast<Bits>(floating_ & Bits{bits == kSign});
    const auto nan = static_cast<Bits>(-Bits{static_cast<Bits>(bits & ~kSign) > infinity_});
    return static_cast<Bits>((((plain(bits) ^ flip_) + zero) | nan) ^ flip_);
  }
  Bits operator()(const std::byte* element) const noexcept { return (*this)(load(element)); }

  // Another key, which is as good where `differs` is 0 for all elements, and can be turned back.
  Bits plain(Bits bits) const noexcept {
    const auto mask = static_cast<Bits>(-(bits >> (kBits - 1)));
    return static_cast<Bits>(bits ^ (sign_ | (mask & magnitude_)) ^ flip_);
  }
  Bits differs(Bits bits) const noexcept { return static_cast<Bits>(plain(bits) ^ (*this)(bits)); }
  Bits element(Bits plain_key) const noexcept {
    const auto key = static_cast<Bits>(plain_key ^ flip_);
    const auto mask = static_cast<Bits>((key >> (kBits - 1)) - 1);
    return static_cast<Bits>(key ^ (sign_ | (mask & magnitude_)));
  }

  // The key of NaN.
  Bits nan() const noexcept { return static_cast<Bits>(kAll ^ flip_); }

  static Bits load(const std::byte* element) noexcept {
    Bits bits;
    std::memcpy(&bits, element, sizeof bits);
    return bits;
  }

 private:
  static constexpr int kBits = 8 * sizeof(Bits);
  static constexpr auto kAll = static_cast<Bits>(~Bits{0});
  static constexpr auto kSign = static_cast<Bits>(kAll / 2 + 1);

  static Bits infinity(Dtype dtype) noexcept {
    const int mantissa = dtype == Dtype::float16    ? 10
                         : dtype == Dtype::bfloat16 ? 7
                         : dtype == Dtype::float32  ? 23
                                                    : 52;
    return static_cast<Bits>((kSign - 1) >> mantissa << mantissa);
  }

  Bits floating_;   // 0 or 1
  Bits flip_;       // what is flipped in the end: all when descending
  Bits sign_;       // what is flipped in all elements
  Bits magnitude_;  // what is flipped besides in negative ones
  Bits infinity_;   // larger magnitudes are NaN
};

}  // namespace crossdock::native
