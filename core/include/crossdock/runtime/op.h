// Op: the numbers of all operations that a back-end can have a kernel for. A new operation is a word in this list.
#pragma once

#include <cstdint>
#include <string_view>

namespace crossdock {

// clang-format off: it indents one more word of these lists each time.
#define CROSSDOCK_UNARY_OPS(X) \
  X(negative) X(abs) X(sign) X(square) X(sqrt) X(reciprocal) X(exp) X(expm1) X(log) X(log1p) X(log2) X(log10) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(floor) X(ceil) \
  X(trunc) X(round) X(isnan) X(isinf) X(isfinite) X(signbit) X(logical_not) X(bitwise_invert) X(real) X(imag) \
  X(conj)
#define CROSSDOCK_BINARY_OPS(X) \
  X(add) X(subtract) X(multiply) X(divide) X(floor_divide) X(remainder) X(pow) X(maximum) X(minimum) X(atan2) \
  X(hypot) X(copysign) X(logaddexp) X(nextafter) X(equal) X(not_equal) X(less) X(less_equal) X(greater) \
  X(greater_equal) X(logical_and) X(logical_or) X(logical_xor) X(bitwise_and) X(bitwise_or) X(bitwise_xor) \
  X(bitwise_left_shift) X(bitwise_right_shift)
#define CROSSDOCK_REDUCTION_OPS(X) \
  X(sum) X(prod) X(max) X(min) X(any) X(all) X(argmax) X(argmin) X(squared_deviations)
#define CROSSDOCK_OTHER_OPS(X) \
  X(copy) X(pack) X(where) X(arange) X(matmul)
#define CROSSDOCK_INDEXING_OPS(X) \
  X(index_offsets) X(gather) X(scatter) X(nonzero)
#define CROSSDOCK_ORDER_OPS(X) \
  X(sort) X(argsort) X(searchsorted)
#define CROSSDOCK_SCAN_OPS(X) \
  X(cumulative_sum) X(cumulative_prod)
#define CROSSDOCK_LINALG_OPS(X) \
  X(cholesky) X(lu) X(solve) X(inv) X(qr) X(eigh) X(eigvalsh) X(svd) X(svdvals)
#define CROSSDOCK_FFT_OPS(X) \
  X(fft) X(rfft) X(irfft)
#define CROSSDOCK_OPS(X) \
  CROSSDOCK_UNARY_OPS(X) CROSSDOCK_BINARY_OPS(X) CROSSDOCK_REDUCTION_OPS(X) CROSSDOCK_OTHER_OPS(X) \
  CROSSDOCK_INDEXING_OPS(X) CROSSDOCK_ORDER_OPS(X) CROSSDOCK_SCAN_OPS(X) CROSSDOCK_LINALG_OPS(X) CROSSDOCK_FFT_OPS(X)
// clang-format on

enum class Op : std::uint16_t {
#define CROSSDOCK_WORD(name) name,
  CROSSDOCK_OPS(CROSSDOCK_WORD)
#undef CROSSDOCK_WORD
};

#define CROSSDOCK_ONE(name) +1
inline constexpr int kOpCount = 0 CROSSDOCK_OPS(CROSSDOCK_ONE);
#undef CROSSDOCK_ONE

std::string_view name(Op op) noexcept;

}  // namespace crossdock
