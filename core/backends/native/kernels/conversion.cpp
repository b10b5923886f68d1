#include "conversion.h"

#include <algorithm>

namespace crossdock::native {

namespace {

bool is_narrow_floating(Dtype dtype) noexcept {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16 || dtype == Dtype::float8_e4m3fn ||
         dtype == Dtype::float8_e5m2;
}

// Where to go first from `from` to `to`. Like NumPy and ml_dtypes: narrow floats convert by way of float32 (though
// float64 -> float16 rounds once), 4-bit integers by way of 8 bits.
Dtype next(Dtype from, Dtype to) noexcept {
  if (loops().cast[static_cast<int>(from)][static_cast<int>(to)]) return to;
  if (is_narrow_floating(from)) return Dtype::float32;
  if (from == Dtype::int4) return Dtype::int8;
  if (from == Dtype::uint4) return Dtype::uint8;
  if (from == Dtype::complex128 && is_narrow_floating(to)) return Dtype::float64;
  if (is_narrow_floating(to)) return Dtype::float32;
  return to == Dtype::int4 ? Dtype::int8 : Dtype::uint8;
}

}  // namespace

Conversion::Conversion(Dtype from, Dtype to) noexcept {
  if (from == to) {
    count_ = 1;
    itemsizes_[0] = itemsize(to);
    loops_[0] = loops().move[itemsizes_[0]];
    return;
  }
  while (from != to) {
    const Dtype step = next(from, to);
    loops_[count_] = loops().cast[static_cast<int>(from)][static_cast<int>(step)];
    itemsizes_[count_++] = itemsize(step);
    from = step;
  }
}

void Conversion::operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const {
  if (count_ == 1) return loops_[0](pointers, strides, n);
  constexpr std::int64_t kPiece = 512;
  alignas(64) std::byte buffers[kMaxLoops - 1][kPiece * 16];
  for (std::int64_t done = 0; done < n; done += kPiece) {
    std::byte* from = pointers[0] + done * strides[0];
    std::int64_t from_stride = strides[0];
    for (int i = 0; i < count_; ++i) {
      const bool last = i == count_ - 1;
      std::byte* const step[] = {from, last ? pointers[1] + done * strides[1] : buffers[i]};
      const std::int64_t step_strides[] = {from_stride, last ? strides[1] : itemsizes_[i]};
      loops_[i](step, step_strides, std::min(kPiece, n - done));
      from = step[1];
      from_stride = step_strides[1];
    }
  }
}

void Conversion::operator()(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
                            std::int64_t n) const {
  std::byte* const pointers[] = {const_cast<std::byte*>(from), to};
  const std::int64_t strides[] = {from_stride, to_stride};
  (*this)(pointers, strides, n);
}

}  // namespace crossdock::native
