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

constexpr std::int64_t kPiece = 512;  // elements converted at a time: both sides fit the nearest cache
constexpr std::int64_t kFewest = 16;  // elements worth a detour

void move(std::int64_t itemsize, const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
          std::int64_t n) {
  std::byte* const pointers[] = {const_cast<std::byte*>(from), to};
  const std::int64_t strides[] = {from_stride, to_stride};
  loops().move[itemsize](pointers, strides, n);
}

// Loops are fast on contiguous elements that lie on multiples of their size.
bool is_plain(const std::byte* p, std::int64_t stride, std::int64_t itemsize) noexcept {
  return stride == itemsize && (reinterpret_cast<std::intptr_t>(p) & (std::min<std::int64_t>(8, itemsize) - 1)) == 0;
}

}  // namespace

Conversion::Conversion(std::int64_t itemsize) noexcept : count_(1), moves_(true), from_itemsize_(itemsize) {
  itemsizes_[0] = itemsize;
  loops_[0] = loops().move[itemsize];
}

Conversion::Conversion(Dtype from, Dtype to) noexcept : from_itemsize_(itemsize(from)) {
  if (from == to) {
    *this = Conversion(itemsize(to));
    return;
  }
  while (from != to) {
    const Dtype step = next(from, to);
    loops_[count_] = loops().cast[static_cast<int>(from)][static_cast<int>(step)];
    itemsizes_[count_++] = itemsize(step);
    from = step;
  }
}

// Up to kPiece contiguous elements.
void Conversion::run(const std::byte* from, std::byte* to, std::int64_t n) const {
  alignas(64) std::byte buffers[kMaxLoops - 1][kPiece * 16];
  std::int64_t from_stride = from_itemsize_;
  for (int i = 0; i < count_; ++i) {
    std::byte* const step[] = {const_cast<std::byte*>(from), i == count_ - 1 ? to : buffers[i]};
    const std::int64_t strides[] = {from_stride, itemsizes_[i]};
    loops_[i](step, strides, n);
    from = step[1];
    from_stride = itemsizes_[i];
  }
}

void Conversion::operator()(std::byte* const* pointers, const std::int64_t* strides, std::int64_t n) const {
  if (moves_) return loops_[0](pointers, strides, n);
  const std::byte* from = pointers[0];
  std::byte* to = pointers[1];
  const std::int64_t from_stride = strides[0], to_stride = strides[1], to_size = to_itemsize();
  const bool gathers = !is_plain(from, from_stride, from_itemsize_), scatters = !is_plain(to, to_stride, to_size);
  if (count_ == 1 && (n < kFewest || !(gathers || scatters))) return loops_[0](pointers, strides, n);
  alignas(64) std::byte gathered[kPiece * 16], converted[kPiece * 16];
  if (from_stride == 0) {
    move(from_itemsize_, from, 0, gathered, from_itemsize_, 1);
    run(gathered, converted, 1);
    return move(to_size, converted, 0, to, to_stride, n);
  }
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const std::int64_t m = std::min(kPiece, n - done);
    const std::byte* source = from + done * from_stride;
    std::byte* target = to + done * to_stride;
    if (gathers) move(from_itemsize_, source, from_stride, gathered, from_itemsize_, m);
    run(gathers ? gathered : source, scatters ? converted : target, m);
    if (scatters) move(to_size, converted, to_size, target, to_stride, m);
  }
}

void Conversion::operator()(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
                            std::int64_t n) const {
  std::byte* const pointers[] = {const_cast<std::byte*>(from), to};
  const std::int64_t strides[] = {from_stride, to_stride};
  (*this)(pointers, strides, n);
}

}  // namespace crossdock::native
