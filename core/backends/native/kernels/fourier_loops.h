// FourierLoops: the inner loops of Fourier transforms, which work on columns.
//
// A column holds several transforms side by side: element i is kFourierLanes complex numbers, one of each transform,
// first their real parts and then their imaginary ones. Columns are aligned to 64 bytes. Loops that take `im` find the
// imaginary parts that many numbers after the real ones: with a pointer to the imaginary parts and a negative `im`, the
// two are exchanged, which turns a transform into its inverse.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crossdock::native {

template <class T>
inline constexpr int kFourierLanes = 64 / static_cast<int>(sizeof(T));

template <class T>
struct FourierLoops {
  // One step of a Stockham transform: `m` groups of `radix` butterflies, each over `s` elements. `twiddles`: for group
  // p > 0 the powers 1 .. radix - 1 of its root of unity. `roots`: cos and sin of 2 pi j / radix.
  void (*pass)(int radix, const T* x, T* y, std::ptrdiff_t im, std::int64_t s, std::int64_t m, const T* twiddles,
               const T* roots);
  // Between a column and complex numbers of which an element's lie one after the other; pitch in bytes. Lanes that do
  // not exist are read as zero.
  void (*split)(const std::byte* from, std::int64_t pitch, T* column, std::int64_t count, int lanes);
  void (*join)(const T* column, std::byte* to, std::int64_t pitch, std::int64_t count, int lanes, T scale);
  // Multiplies by a column of twiddles and exchanges elements and lanes: `groups` groups of kFourierLanes elements each
  // become that many elements, `pitch` numbers after those of the group before.
  void (*turn)(const T* x, const T* twiddles, std::ptrdiff_t im, T* to, std::int64_t pitch, std::int64_t groups);
  // Element i times factor i.
  void (*rotate)(T* column, std::ptrdiff_t im, const T* factors, std::int64_t count);
  // out = a * b, rows of complex numbers; of the conjugates of both where `conjugate`.
  void (*multiply)(const T* a, const T* b, T* out, std::int64_t count, bool conjugate);
  // From the transform of `half` pairs of real numbers to the half + 1 numbers that theirs has, and the inverse way.
  // `twiddles`: powers 0 .. half / 2 of the root of unity of 2 * half.
  void (*untangle)(T* row, const T* twiddles, std::int64_t half, T scale);
  void (*tangle)(const T* row, T* out, const T* twiddles, std::int64_t half);
  void (*untangle_column)(T* column, const T* twiddles, std::int64_t half);
  void (*tangle_column)(T* column, const T* twiddles, std::int64_t half);
};

}  // namespace crossdock::native
